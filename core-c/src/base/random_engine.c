/* The random engine: its words, seeds and states. */
#include "random.h"

#define MT_SHIFT 397

void pwt_generator_seed(PwtGenerator *g, uint64_t seed) {
  *g = (PwtGenerator){.seed = seed, .left = 1};
  g->words[0] = (uint32_t)seed;
  for (uint32_t i = 1; i < PWT_MT_WORDS; i++)
    g->words[i] = 1812433253u * (g->words[i - 1] ^ (g->words[i - 1] >> 30)) + i;
}

static inline uint32_t twisted(uint32_t high, uint32_t low) {
  uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (mixed >> 1) ^ (0x9908b0dfu & -(low & 1u));
}

static inline uint32_t tempered(uint32_t word) {
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680u;
  word ^= (word << 15) & 0xefc60000u;
  return word ^ (word >> 18);
}

static void twist(PwtGenerator *g) {
  uint32_t *w = g->words;
  const int wrap = PWT_MT_WORDS - MT_SHIFT;
  for (int i = 0; i < wrap; i++) w[i] = w[i + MT_SHIFT] ^ twisted(w[i], w[i + 1]);
  for (int i = wrap; i < PWT_MT_WORDS - 1; i++) w[i] = w[i - wrap] ^ twisted(w[i], w[i + 1]);
  w[PWT_MT_WORDS - 1] = w[MT_SHIFT - 1] ^ twisted(w[PWT_MT_WORDS - 1], w[0]);
  g->next = 0;
  g->left = PWT_MT_WORDS + 1;
}

uint32_t pwt_random32(PwtGenerator *g) {
  if (g->left == 1) twist(g);
  g->left--;
  return tempered(g->words[g->next++]);
}

uint64_t pwt_random64(PwtGenerator *g) {
  uint64_t high = pwt_random32(g);
  return high << 32 | pwt_random32(g);
}

void pwt_random_words(PwtGenerator *g, uint32_t *restrict out, int64_t n) {
  while (n > 0) {
    if (g->left == 1) twist(g);
    uint32_t take = (uint32_t)PWT_MIN(n, (int64_t)g->left - 1);
    const uint32_t *from = g->words + g->next;
    for (uint32_t i = 0; i < take; i++) out[i] = tempered(from[i]);
    g->next += take;
    g->left -= take;
    out += take;
    n -= take;
  }
}

double pwt_random_uniform(PwtGenerator *g) {
  return (double)(int64_t)(pwt_random64(g) & ((1ull << 53) - 1)) * 0x1p-53;
}

/* ---- states: a C struct of torch's older days, with 64 bits for each word ---- */
enum {
  STATE_SEED = 0,
  STATE_LEFT = 8,
  STATE_SEEDED = 12,
  STATE_NEXT = 16,
  STATE_WORDS = 24,
  STATE_NORMAL = STATE_WORDS + 8 * PWT_MT_WORDS + 8,
  STATE_HAS_NORMAL = STATE_NORMAL + 16,
  STATE_NORMAL_F32 = STATE_HAS_NORMAL + 8,
  STATE_HAS_NORMAL_F32 = STATE_NORMAL_F32 + 4,
};

void pwt_generator_get_state(const PwtGenerator *g, uint8_t *bytes) {
  const uint32_t seeded = 1;
  pwt_fill_bytes(bytes, 0, PWT_GENERATOR_STATE_BYTES);
  pwt_copy_bytes(bytes + STATE_SEED, &g->seed, 8);
  pwt_copy_bytes(bytes + STATE_LEFT, &g->left, 4);
  pwt_copy_bytes(bytes + STATE_SEEDED, &seeded, 4);
  pwt_copy_bytes(bytes + STATE_NEXT, &g->next, 4);
  for (int i = 0; i < PWT_MT_WORDS; i++) pwt_copy_bytes(bytes + STATE_WORDS + 8 * i, &g->words[i], 4);
  if (g->has_normal) pwt_copy_bytes(bytes + STATE_NORMAL, &g->normal, 8);
  if (g->has_normal_f32) pwt_copy_bytes(bytes + STATE_NORMAL_F32, &g->normal_f32, 4);
  bytes[STATE_HAS_NORMAL] = g->has_normal;
  bytes[STATE_HAS_NORMAL_F32] = g->has_normal_f32;
}

bool pwt_generator_set_state(PwtGenerator *g, const uint8_t *bytes, int64_t count) {
  if (count != PWT_GENERATOR_STATE_BYTES)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "Expected a CPUGeneratorImplState of size %d but found the input RNG state size to be %i",
                    PWT_GENERATOR_STATE_BYTES, count);
  uint32_t seeded, has_normal;
  PwtGenerator read = {0};
  pwt_copy_bytes(&read.seed, bytes + STATE_SEED, 8);
  pwt_copy_bytes(&read.left, bytes + STATE_LEFT, 4);
  pwt_copy_bytes(&seeded, bytes + STATE_SEEDED, 4);
  pwt_copy_bytes(&read.next, bytes + STATE_NEXT, 4);
  pwt_copy_bytes(&has_normal, bytes + STATE_HAS_NORMAL, 4);
  /* torch lets a state through that makes it read beyond the last word; such a one is refused here. */
  bool inside = read.left >= 1 && read.left <= PWT_MT_WORDS && read.next <= PWT_MT_WORDS &&
                read.next + read.left <= PWT_MT_WORDS + 1;
  if (!seeded || !inside) return pwt_fail(PWT_RUNTIME_ERROR, "Invalid mt19937 state");
  for (int i = 0; i < PWT_MT_WORDS; i++) pwt_copy_bytes(&read.words[i], bytes + STATE_WORDS + 8 * i, 4);
  read.has_normal = has_normal != 0;
  read.has_normal_f32 = bytes[STATE_HAS_NORMAL_F32] != 0;
  if (read.has_normal) pwt_copy_bytes(&read.normal, bytes + STATE_NORMAL, 8);
  if (read.has_normal_f32) pwt_copy_bytes(&read.normal_f32, bytes + STATE_NORMAL_F32, 4);
  *g = read;
  return true;
}
