/* bernoulli, poisson, binomial, multinomial and other samples with tensor parameters. */
#include "generators.h"
#include "multinomial.h"
#include "ops.h"

static Tensor *new_contiguous(const Tensor *like) { return pwt_new(like->ndim, like->sizes, (DType)like->dtype); }

/* ---- bernoulli ---- */
Tensor *pwt_kernel_bernoulli(Tensor *self, Tensor *generator) {
  PwtGenerator *g = pwt_generator_of(generator);
  Tensor *p = pwt_raw_contiguous(self), *result = new_contiguous(self);
  if (!g || !p || !result) return NULL;
  if (pwt_on_meta) return result;
  return pwt_sample_bernoulli(g, (DType)self->dtype, pwt_data(result), (DType)p->dtype, pwt_data(p), p->numel) ? result : NULL;
}

Tensor *pwt_kernel_bernoulli_p(Tensor *self, double p, Tensor *generator) {
  return pwt_kernel_bernoulli_fill(new_contiguous(self), p, generator);
}

Tensor *pwt_kernel_bernoulli_tensor(Tensor *self, Tensor *p, Tensor *generator) {
  PwtGenerator *g = pwt_generator_of(generator);
  if (!g) return NULL;
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *expanded = pwt_expand(p, pwt_sizes_of(self), false);
  pwt_grad_enabled = recording;
  Tensor *result = pwt_new_like(self, (DType)self->dtype);
  if (!expanded || !result) return NULL;
  if (pwt_overlaps_itself(self) && self->numel)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                    "Please clone() the tensor before performing the operation.");
  Tensor *in_order = pwt_new_strided(self->ndim, self->sizes, result->strides, (DType)p->dtype);
  if (!in_order) return NULL;
  if (pwt_on_meta) return result;
  pwt_raw_copy(in_order, expanded);
  return pwt_sample_bernoulli(g, (DType)self->dtype, pwt_data(result), (DType)p->dtype, pwt_data(in_order), self->numel) ? result : NULL;
}

/* ---- normal ---- */
static Tensor *scaled(Tensor *noise, Tensor *std, Tensor *mean) {
  bool recording = pwt_grad_enabled;
  DType dtype = pwt_dtype_of(noise);
  pwt_grad_enabled = false;
  Tensor *result = std ? pwt_raw_cast(pwt_mul(noise, std), dtype) : noise;
  result = pwt_raw_cast(pwt_add(result, mean, pwt_scalar_int(1)), dtype);
  pwt_grad_enabled = recording;
  return result;
}

static bool check_deviations(Tensor *std) {
  if (pwt_is_complex((DType)std->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "normal expects standard deviation to be non-complex");
  if (pwt_on_meta) return true;
  Tensor *wide = pwt_raw_contiguous_as(std, PWT_FLOAT64);
  const double *values = wide ? pwt_data(wide) : NULL;
  for (int64_t i = 0; wide && i < wide->numel; i++)
    if (!(values[i] >= 0)) return pwt_fail(PWT_RUNTIME_ERROR, "normal expects all elements of std >= 0.0");
  return wide != NULL;
}

Tensor *pwt_kernel_normal_tensor_float(Tensor *mean, double std, Tensor *generator) {
  return scaled(pwt_kernel_normal_fill(new_contiguous(mean), 0, std, generator), NULL, mean);
}

Tensor *pwt_kernel_normal_float_tensor(double mean, Tensor *std, Tensor *generator) {
  if (!check_deviations(std)) return NULL;
  return scaled(pwt_kernel_normal_fill(new_contiguous(std), 0, 1, generator), std, pwt_from_scalar(pwt_scalar_float(mean)));
}

Tensor *pwt_kernel_normal_tensor_tensor(Tensor *mean, Tensor *std, Tensor *generator) {
  int ndim = mean->ndim;
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, mean->sizes, ndim * 8);
  if (!check_deviations(std) || !pwt_broadcast_sizes(&ndim, sizes, std)) return NULL;
  Tensor *result = pwt_new(ndim, sizes, (DType)mean->dtype);
  return result ? scaled(pwt_kernel_normal_fill(result, 0, 1, generator), std, mean) : NULL;
}

/* ---- poisson, binomial, gamma, dirichlet ---- */
typedef bool (*Sampler)(PwtGenerator *g, DType dtype, void *out, const void *parameter, int64_t n);

static Tensor *sampled(Tensor *self, Tensor *generator, Sampler sample) {
  PwtGenerator *g = pwt_generator_of(generator);
  Tensor *parameter = pwt_raw_contiguous(self), *result = new_contiguous(self);
  if (!g || !parameter || !result) return NULL;
  if (pwt_on_meta) return result;
  return sample(g, (DType)self->dtype, pwt_data(result), pwt_data(parameter), self->numel) ? result : NULL;
}

Tensor *pwt_kernel_poisson(Tensor *self, Tensor *generator) { return sampled(self, generator, pwt_sample_poisson); }

Tensor *pwt_kernel__standard_gamma(Tensor *self, Tensor *generator) { return sampled(self, generator, pwt_sample_gamma); }

Tensor *pwt_kernel_binomial(Tensor *count, Tensor *prob, Tensor *generator) {
  PwtGenerator *g = pwt_generator_of(generator);
  if (!pwt_is_floating((DType)count->dtype))
    return pwt_fail(PWT_VALUE_ERROR, "binomial only supports floating-point dtypes for count, got: %t", (DType)count->dtype);
  if (!pwt_is_floating((DType)prob->dtype))
    return pwt_fail(PWT_VALUE_ERROR, "binomial only supports floating-point dtypes for prob, got: %t", (DType)prob->dtype);
  int ndim = count->ndim;
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, count->sizes, ndim * 8);
  if (!g || !pwt_broadcast_sizes(&ndim, sizes, prob)) return NULL;
  if (prob->dtype != count->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "Found dtype %t but expected %t", (DType)prob->dtype, (DType)count->dtype);
  Tensor *counts = pwt_raw_contiguous(pwt_raw_expand(count, ndim, sizes));
  Tensor *probs = pwt_raw_contiguous(pwt_raw_expand(prob, ndim, sizes));
  Tensor *result = pwt_new(ndim, sizes, (DType)count->dtype);
  if (!counts || !probs || !result) return NULL;
  if (pwt_on_meta) return result;
  return pwt_sample_binomial(g, (DType)count->dtype, pwt_data(result), pwt_data(counts), pwt_data(probs), result->numel) ? result : NULL;
}

Tensor *pwt_kernel__sample_dirichlet(Tensor *self, Tensor *generator) {
  PwtGenerator *g = pwt_generator_of(generator);
  Tensor *alpha = pwt_raw_contiguous(self), *result = new_contiguous(self);
  if (!g || !alpha || !result) return NULL;
  if (pwt_on_meta) return result;
  int64_t classes = self->ndim ? self->sizes[self->ndim - 1] : 1, rows = classes ? self->numel / classes : 0;
  return pwt_sample_dirichlet(g, (DType)self->dtype, pwt_data(result), pwt_data(alpha), rows, classes) ? result : NULL;
}

/* ---- multinomial ---- */
Tensor *pwt_kernel_multinomial(Tensor *self, int64_t num_samples, bool replacement, Tensor *generator) {
  PwtGenerator *g = pwt_generator_of(generator);
  if (!g) return NULL;
  if (self->ndim < 1 || self->ndim > 2) return pwt_fail(PWT_RUNTIME_ERROR, "prob_dist must be 1 or 2 dim");
  int64_t rows = self->ndim == 2 ? self->sizes[0] : 1, classes = self->sizes[self->ndim - 1];
  int64_t sizes[] = {rows, PWT_MAX(num_samples, 0)};
  Tensor *weights = pwt_raw_contiguous(self);
  Tensor *result = self->ndim == 2 ? pwt_new(2, sizes, PWT_INT64) : pwt_new(1, sizes + 1, PWT_INT64);
  if (!weights || !result) return NULL;
  if (pwt_on_meta) rows = 0; /* only the checks */
  bool by_class = rows > 1 && classes > 1 && self->strides[0] == 1 && self->strides[1] == rows;
  bool drawn = pwt_sample_multinomial(g, (DType)self->dtype, pwt_data(weights), rows, classes, pwt_data(result), num_samples, replacement, by_class);
  return drawn ? result : NULL;
}
