/* rand, randn, randint, randperm, uniform, normal, bernoulli and random fills. Each makes a tensor whose memory is packed in the order of self's strides, which is the order in which
   torch iterates over self; complex numbers are filled as pairs of real ones. */
#include "generators.h"
#include "ops.h"

typedef struct {
  PwtGenerator *g;
  Tensor *result;
  DType dtype; /* of the numbers to be drawn */
  void *out;
  int64_t n;
  bool overlaps; /* then nothing is drawn, and only the distribution's own checks come before the refusal */
} Fill;

static bool start(Fill *fill, Tensor *generator, Tensor *result) {
  fill->g = pwt_generator_of(generator);
  fill->result = result;
  fill->overlaps = false;
  if (!fill->g || !result) return false;
  fill->dtype = pwt_real_dtype((DType)result->dtype);
  fill->n = pwt_on_meta ? 0 : pwt_is_complex((DType)result->dtype) ? 2 * result->numel : result->numel;
  fill->out = pwt_data(result);
  return true;
}

static bool start_like(Fill *fill, Tensor *generator, Tensor *self) {
  if (!start(fill, generator, pwt_new_like(self, (DType)self->dtype))) return false;
  fill->overlaps = pwt_overlaps_itself(self) && self->numel;
  if (fill->overlaps) fill->n = 0;
  return true;
}

/* For distributions that complex tensors do not have: the fill refuses the dtype by its own name. */
static bool start_real_like(Fill *fill, Tensor *generator, Tensor *self) {
  if (!start_like(fill, generator, self)) return false;
  fill->dtype = (DType)self->dtype;
  fill->n = fill->overlaps || pwt_on_meta ? 0 : self->numel;
  return true;
}

static Tensor *finish(const Fill *fill, bool filled) {
  if (!filled || !fill->overlaps) return filled ? fill->result : NULL;
  return pwt_fail(PWT_RUNTIME_ERROR,
                  "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                  "Please clone() the tensor before performing the operation.");
}

/* The real and the imaginary part have half the variance. */
static bool fill_normal(const Fill *f, double mean, double std, bool contiguous) {
  bool complex = pwt_is_complex((DType)f->result->dtype);
  if (complex && !(std >= 0)) return pwt_fail(PWT_RUNTIME_ERROR, "normal expects std >= 0.0, but found std %g", std);
  return pwt_fill_normal(f->g, f->dtype, f->out, f->n, mean, complex ? std / __builtin_sqrt(2) : std, contiguous);
}

/* ---- new tensors ---- */
static Tensor *empty_of(IntList size, DType dtype) { return pwt__empty(size, dtype); }

Tensor *pwt_kernel__rand(IntList size, DType dtype, Tensor *generator) {
  Fill f;
  return start(&f, generator, empty_of(size, dtype)) ? finish(&f, pwt_fill_uniform(f.g, f.dtype, f.out, f.n, 0, 1)) : NULL;
}

Tensor *pwt_kernel__randn(IntList size, DType dtype, Tensor *generator) {
  Fill f;
  return start(&f, generator, empty_of(size, dtype)) ? finish(&f, fill_normal(&f, 0, 1, true)) : NULL;
}

Tensor *pwt_kernel__randint(int64_t low, int64_t high, IntList size, DType dtype, Tensor *generator) {
  Fill f;
  if (!start(&f, generator, empty_of(size, dtype))) return NULL;
  return finish(&f, pwt_fill_random_from_to(f.g, dtype, f.out, f.n, low, high));
}

Tensor *pwt_kernel__randperm(int64_t n, DType dtype, Tensor *generator) {
  Fill f;
  if (!start(&f, generator, empty_of((IntList){&n, 1}, dtype))) return NULL;
  return pwt_on_meta ? f.result : finish(&f, pwt_fill_randperm(f.g, dtype, f.out, n));
}

/* ---- fills of a given tensor ---- */
Tensor *pwt_kernel_uniform(Tensor *self, double from, double to, Tensor *generator) {
  Fill f;
  return start_like(&f, generator, self) ? finish(&f, pwt_fill_uniform(f.g, f.dtype, f.out, f.n, from, to)) : NULL;
}

Tensor *pwt_kernel_normal_fill(Tensor *self, double mean, double std, Tensor *generator) {
  Fill f;
  return start_like(&f, generator, self) ? finish(&f, fill_normal(&f, mean, std, self->contiguous)) : NULL;
}

Tensor *pwt_kernel_random_from(Tensor *self, int64_t from, OptInt to, Tensor *generator) {
  Fill f;
  if (!start_real_like(&f, generator, self)) return NULL;
  return finish(&f, to.given ? pwt_fill_random_from_to(f.g, f.dtype, f.out, f.n, from, to.value)
                             : pwt_fill_random_from(f.g, f.dtype, f.out, f.n, from));
}

Tensor *pwt_kernel_random_to(Tensor *self, int64_t to, Tensor *generator) {
  return pwt_kernel_random_from(self, 0, (OptInt){true, to}, generator);
}

Tensor *pwt_kernel_random(Tensor *self, Tensor *generator) {
  Fill f;
  return start_real_like(&f, generator, self) ? finish(&f, pwt_fill_random(f.g, f.dtype, f.out, f.n)) : NULL;
}

#define FILL(NAME, PARAMETERS, ...)                                                                           \
  Tensor *pwt_kernel_##NAME(Tensor *self, PARAMETERS, Tensor *generator) {                                    \
    Fill f;                                                                                                   \
    if (!start_real_like(&f, generator, self)) return NULL;                                                   \
    return finish(&f, pwt_fill_##NAME(f.g, f.dtype, f.out, f.n, __VA_ARGS__));                        \
  }
#define TWO(A, B) double A, double B

FILL(exponential, double lambd, lambd)
FILL(geometric, double p, p)
FILL(log_normal, TWO(mean, std), mean, std)
FILL(cauchy, TWO(median, sigma), median, sigma)

Tensor *pwt_kernel_bernoulli_fill(Tensor *self, double p, Tensor *generator) {
  Fill f;
  return start_real_like(&f, generator, self) ? finish(&f, pwt_fill_bernoulli(f.g, f.dtype, f.out, f.n, p)) : NULL;
}
