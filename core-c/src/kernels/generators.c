#include "generators.h"
#include "ops.h"

static PwtGenerator default_generator;
static PwtGenerator **others; /* number n stands at n - 1; NULL where it was freed */
static int64_t other_count;

PwtGenerator *pwt_generator_at(int64_t number) {
  if (number == 0) {
    if (default_generator.left == 0) pwt_generator_seed(&default_generator, PWT_DEFAULT_SEED);
    return &default_generator;
  }
  if (number > 0 && number <= other_count && others[number - 1]) return others[number - 1];
  return pwt_fail(PWT_RUNTIME_ERROR, "generator %i does not exist", number);
}

static int64_t free_place(void) {
  for (int64_t i = 0; i < other_count; i++)
    if (!others[i]) return i;
  int64_t count = PWT_MAX(2 * other_count, 4);
  PwtGenerator **more = pwt_alloc_zeroed(count * (int64_t)sizeof *more);
  if (!more) return -1;
  pwt_copy_bytes(more, others, other_count * (int64_t)sizeof *more);
  pwt_free(others);
  others = more;
  int64_t place = other_count;
  other_count = count;
  return place;
}

int64_t pwt_kernel__generator_new(void) {
  int64_t place = free_place();
  if (place < 0) return 0;
  others[place] = pwt_alloc(sizeof(PwtGenerator));
  if (!others[place]) return 0;
  pwt_generator_seed(others[place], PWT_DEFAULT_SEED);
  return place + 1;
}

bool pwt_kernel__generator_free(int64_t generator) {
  if (generator < 1 || generator > other_count) return false;
  pwt_free(others[generator - 1]);
  others[generator - 1] = NULL;
  return true;
}

bool pwt_kernel__generator_seed(int64_t generator, int64_t seed) {
  PwtGenerator *g = pwt_generator_at(generator);
  if (g) pwt_generator_seed(g, (uint64_t)seed);
  return g != NULL;
}

int64_t pwt_kernel__generator_initial_seed(int64_t generator) {
  PwtGenerator *g = pwt_generator_at(generator);
  return g ? (int64_t)g->seed : 0;
}

Tensor *pwt_kernel__generator_get_state(int64_t generator) {
  PwtGenerator *g = pwt_generator_at(generator);
  Tensor *state = pwt_new(1, (const int64_t[]){PWT_GENERATOR_STATE_BYTES}, PWT_UINT8);
  if (g && state) pwt_generator_get_state(g, pwt_data(state));
  return state;
}

bool pwt_kernel__generator_set_state(int64_t generator, Tensor *state) {
  PwtGenerator *g = pwt_generator_at(generator);
  if (!g) return false;
  if (state->dtype != PWT_UINT8) {
    pwt_fail(PWT_TYPE_ERROR, "RNG state must be a torch.ByteTensor");
    return false;
  }
  Tensor *bytes = pwt_raw_contiguous(state);
  return bytes && pwt_generator_set_state(g, pwt_data(bytes), bytes->numel);
}
