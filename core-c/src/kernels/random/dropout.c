/* Dropout: one Bernoulli draw per element or channel, in PyTorch's order. */
#include "ops.h"

static bool check_probability(double p) {
  return (p >= 0 && p <= 1) || pwt_fail(PWT_RUNTIME_ERROR, "dropout probability has to be between 0 and 1, but got %g", p);
}

/* One draw for each channel, broadcast over the rest. */
static Tensor *channels_of(Tensor *input) {
  int64_t sizes[PWT_MAX_DIMS];
  if (input->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "Feature dropout requires at least 2 dimensions in the input");
  for (int i = 0; i < input->ndim; i++) sizes[i] = i < 2 ? input->sizes[i] : 1;
  return pwt_new(input->ndim, sizes, (DType)input->dtype);
}

static Tensor *number(double value) { return pwt_from_scalar(pwt_scalar_float(value)); }

static Tensors2 noise_of(Tensor *input, double p, bool feature, bool alpha) {
  Tensor *like = feature ? channels_of(input) : pwt_new_like(input, (DType)input->dtype);
  Tensor *kept = pwt_bernoulli_fill(like, 1 - p, NULL);
  if (!alpha) return (Tensors2){{pwt_div_(kept, number(1 - p)), NULL}};
  const double low = 1.7580993408473766; /* SELU's limit towards -inf, negated: scale * alpha */
  double a = 1 / __builtin_sqrt((low * low * p + 1) * (1 - p));
  Tensor *minus_one = pwt_from_scalar(pwt_scalar_int(-1));
  Tensor *shift = pwt_mul_(pwt_add(kept, minus_one, pwt_scalar_int(1)), number(low * a));
  return (Tensors2){{pwt_mul_(kept, number(a)), pwt_add_(shift, number(low * a * p), pwt_scalar_int(1))}};
}

/* What is kept, as the factor of each element, and for alpha dropout what is added to it. */
Tensors2 pwt_kernel__dropout_noise(Tensor *input, double p, bool feature, bool alpha) {
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensors2 noise = check_probability(p) ? noise_of(input, p, feature, alpha) : (Tensors2){0};
  pwt_grad_enabled = recording;
  return noise;
}

static Tensor *dropped(Tensor *input, double p, bool train, bool feature, bool alpha) {
  if (!check_probability(p)) return NULL;
  if (p == 0 || !train || input->numel == 0) return input;
  if (p == 1) return pwt_mul(input, pwt_full_scalar(pwt_scalar_int(0), (DType)input->dtype));
  Tensors2 noise = pwt__dropout_noise(input, p, feature, alpha);
  Tensor *result = pwt_mul(input, noise.r[0]);
  return alpha ? pwt_add(result, noise.r[1], pwt_scalar_int(1)) : result;
}

Tensor *pwt_kernel_dropout(Tensor *input, double p, bool train) { return dropped(input, p, train, false, false); }

Tensor *pwt_kernel_feature_dropout(Tensor *input, double p, bool train) { return dropped(input, p, train, true, false); }

Tensor *pwt_kernel_alpha_dropout(Tensor *input, double p, bool train) { return dropped(input, p, train, false, true); }

Tensor *pwt_kernel_feature_alpha_dropout(Tensor *input, double p, bool train) { return dropped(input, p, train, true, true); }
