/* torch's CPU generator (Mersenne Twister 19937, Matsumoto and Nishimura 1998) and its distributions.
   All fills are serial and write contiguous memory in order. torch iterates over a strided tensor in the order of its
   strides, so an adapter fills a contiguous buffer and copies it in that order.
   A fill checks its arguments as torch does: false means that an error is recorded, and no word was drawn unless
   the error lies in the values of an input. */
#pragma once
#include "base.h"

#define PWT_MT_WORDS 624
#define PWT_GENERATOR_STATE_BYTES 5056
#define PWT_DEFAULT_SEED 67280421310721u /* of a new torch.Generator() */

typedef struct {
  uint64_t seed;
  uint32_t words[PWT_MT_WORDS];
  uint32_t next;            /* the word to be tempered next */
  uint32_t left;            /* words before the next twist, plus one, as torch counts */
  bool has_normal, has_normal_f32;
  double normal;            /* second sample of the last Box-Muller pair; all dtypes share it */
  float normal_f32;         /* torch keeps it in the state and never uses it on the CPU */
} PwtGenerator;

void pwt_generator_seed(PwtGenerator *g, uint64_t seed); /* only the low 32 bits choose the sequence */
void pwt_generator_get_state(const PwtGenerator *g, uint8_t *bytes); /* as torch.get_rng_state() lays it out */
bool pwt_generator_set_state(PwtGenerator *g, const uint8_t *bytes, int64_t count);

uint32_t pwt_random32(PwtGenerator *g);
uint64_t pwt_random64(PwtGenerator *g); /* two words, the high one first */
void pwt_random_words(PwtGenerator *g, uint32_t *out, int64_t n);
double pwt_random_uniform(PwtGenerator *g); /* [0, 1), 53 bits */
double pwt_random_normal(PwtGenerator *g);  /* mean 0, deviation 1; every second one from the cache */

/* ---- by parameters ---- */
bool pwt_fill_uniform(PwtGenerator *g, DType dtype, void *out, int64_t n, double from, double to);
/* `contiguous`: of the tensor that is filled; torch pairs uniforms another way from 16 contiguous elements on. */
bool pwt_fill_normal(PwtGenerator *g, DType dtype, void *out, int64_t n, double mean, double std, bool contiguous);
bool pwt_fill_random(PwtGenerator *g, DType dtype, void *out, int64_t n);
bool pwt_fill_random_from(PwtGenerator *g, DType dtype, void *out, int64_t n, int64_t from);
bool pwt_fill_random_from_to(PwtGenerator *g, DType dtype, void *out, int64_t n, int64_t from, int64_t to);
bool pwt_fill_bernoulli(PwtGenerator *g, DType dtype, void *out, int64_t n, double p);
bool pwt_fill_exponential(PwtGenerator *g, DType dtype, void *out, int64_t n, double lambda);
bool pwt_fill_geometric(PwtGenerator *g, DType dtype, void *out, int64_t n, double p);
bool pwt_fill_log_normal(PwtGenerator *g, DType dtype, void *out, int64_t n, double mean, double std);
bool pwt_fill_cauchy(PwtGenerator *g, DType dtype, void *out, int64_t n, double median, double sigma);
bool pwt_fill_randperm(PwtGenerator *g, DType dtype, void *out, int64_t n);

/* ---- by element: out[i] follows parameters [i]; out and the parameters may not overlap ---- */
bool pwt_sample_bernoulli(PwtGenerator *g, DType dtype, void *out, DType p_dtype, const void *p, int64_t n);
bool pwt_sample_poisson(PwtGenerator *g, DType dtype, void *out, const void *rate, int64_t n);
bool pwt_sample_gamma(PwtGenerator *g, DType dtype, void *out, const void *alpha, int64_t n);
bool pwt_sample_binomial(PwtGenerator *g, DType dtype, void *out, const void *count, const void *p, int64_t n);
bool pwt_sample_dirichlet(PwtGenerator *g, DType dtype, void *out, const void *alpha, int64_t rows, int64_t classes);
