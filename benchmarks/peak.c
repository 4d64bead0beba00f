// The most multiplications and additions that one thread of this machine does inside WebAssembly: independent chains of
// multiply-then-add in registers, without memory. Sixteen registers are what an x86 core has: twelve chains, two constants.
typedef float f32x4 __attribute__((vector_size(16)));

enum { CHAINS = 12, LANES = 4 };

// Each round is CHAINS * LANES multiplications and as many additions.
__attribute__((export_name("rounds"))) float rounds(int count) {
  f32x4 chain[CHAINS];
  const f32x4 factor = {0.999f, 0.999f, 0.999f, 0.999f}, step = {0.001f, 0.001f, 0.001f, 0.001f};
#pragma clang loop unroll(full)
  for (int i = 0; i < CHAINS; i++) chain[i] = step * (float)i;
  for (int round = 0; round < count; round++) {
#pragma clang loop unroll(full)
    for (int i = 0; i < CHAINS; i++) chain[i] = chain[i] * factor + step;
  }
  f32x4 total = chain[0];
#pragma clang loop unroll(full)
  for (int i = 1; i < CHAINS; i++) total += chain[i];
  return total[0] + total[1] + total[2] + total[3];
}

__attribute__((export_name("operations_per_round"))) int operations_per_round(void) { return 2 * CHAINS * LANES; }
