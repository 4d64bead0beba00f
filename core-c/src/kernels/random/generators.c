/* Generators as tensors: the default generator, seeds, states. */
#include "generators.h"

#include "ops.h"

static PwtGenerator default_generator;

PwtGenerator *pwt_generator_of(Tensor *state) {
  if (!pwt_failed()) pwt_changes++; /* who asks for it draws */
  if (!state) {
    if (default_generator.left == 0) pwt_generator_seed(&default_generator, PWT_DEFAULT_SEED);
    return &default_generator;
  }
  PwtGenerator *g = pwt_data(state);
  bool fits = state->dtype == PWT_UINT8 && state->numel == sizeof *g && state->contiguous && state->offset == 0;
  if (!fits || g->left < 1 || g->left > PWT_MT_WORDS + 1 || g->next + g->left > PWT_MT_WORDS + 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "the tensor %z is no generator", state->sizes, (int)state->ndim);
  return g;
}

Tensor *pwt_kernel__generator_new(void) {
  Tensor *state = pwt_new(1, (const int64_t[]){sizeof(PwtGenerator)}, PWT_UINT8);
  if (state) pwt_generator_seed(pwt_data(state), PWT_DEFAULT_SEED);
  return state;
}

bool pwt_kernel__generator_seed(Tensor *generator, int64_t seed) {
  PwtGenerator *g = pwt_generator_of(generator);
  if (g) pwt_generator_seed(g, (uint64_t)seed);
  return g != NULL;
}

int64_t pwt_kernel__generator_initial_seed(Tensor *generator) {
  PwtGenerator *g = pwt_generator_of(generator);
  return g ? (int64_t)g->seed : 0;
}

Tensor *pwt_kernel__generator_get_state(Tensor *generator) {
  PwtGenerator *g = pwt_generator_of(generator);
  Tensor *state = pwt_new(1, (const int64_t[]){PWT_GENERATOR_STATE_BYTES}, PWT_UINT8);
  if (g && state) pwt_generator_get_state(g, pwt_data(state));
  return state;
}

bool pwt_kernel__generator_set_state(Tensor *generator, Tensor *state) {
  PwtGenerator *g = pwt_generator_of(generator);
  if (!g) return false;
  if (state->dtype != PWT_UINT8) {
    pwt_fail(PWT_TYPE_ERROR, "RNG state must be a torch.ByteTensor");
    return false;
  }
  Tensor *bytes = pwt_raw_contiguous(state);
  return bytes && pwt_generator_set_state(g, pwt_data(bytes), bytes->numel);
}
