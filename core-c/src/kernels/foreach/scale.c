/* Loss scaling: dividing gradients by the scale while looking for what is not finite, and the scale's growth. */
#include "base/parallel.h"
#include "ops.h"

#define PARALLEL_GRAIN 32768

typedef struct {
  char *data;
  double factor;
  bool is_double;
  bool *wrong; /* for each chunk */
} Unscaling;

/* x - x is 0 for what is finite and NaN for the rest. */
#define UNSCALE_LOOP(NAME, TYPE)                                           \
  static bool NAME(TYPE *data, int64_t n, TYPE factor) {                   \
    TYPE lost = 0;                                                         \
    for (int64_t i = 0; i < n; i++) {                                      \
      lost += data[i] - data[i];                                           \
      data[i] = factor == 1 ? data[i] : data[i] * factor;                  \
    }                                                                      \
    return lost != 0;                                                      \
  }
UNSCALE_LOOP(unscale_f32, float)
UNSCALE_LOOP(unscale_f64, double)

static void run_chunk(void *context, int64_t begin, int64_t end) {
  const Unscaling *u = context;
  bool wrong = u->is_double ? unscale_f64((double *)u->data + begin, end - begin, u->factor)
                            : unscale_f32((float *)u->data + begin, end - begin, (float)u->factor);
  if (wrong) *u->wrong = true; /* several threads may write this, all the same */
}

static bool is_number(const Tensor *t, const char *name, DType dtype, const char *kind) {
  if (t->numel != 1) pwt_fail(PWT_RUNTIME_ERROR, "%s must be a 1-element tensor.", name);
  else if (t->dtype != dtype) pwt_fail(PWT_RUNTIME_ERROR, "%s must be %s tensor.", name, kind);
  return !pwt_failed();
}

static bool unscale(Tensor *grad, double factor, bool *wrong) {
  DType dtype = (DType)pwt_dtype_of_compute[pwt_compute_type[grad->dtype]];
  Tensor *work = pwt_raw_contiguous_as(grad, dtype);
  if (!work) return false;
  Unscaling u = {pwt_data(work), factor, dtype == PWT_FLOAT64, wrong};
  pwt_parallel_for(grad->numel, PARALLEL_GRAIN, run_chunk, &u);
  if (work != grad) pwt_raw_copy(grad, work);
  pwt_bump_version(grad);
  return !pwt_failed();
}

bool pwt_kernel__amp_unscale(TensorList self, Tensor *found_inf, Tensor *inv_scale) {
  if (self.count == 0) return true;
  if (!is_number(inv_scale, "inv_scale", PWT_FLOAT32, "a float") || !is_number(found_inf, "found_inf", PWT_FLOAT32, "a float")) return false;
  double factor = pwt_item(inv_scale).re;
  bool wrong = false;
  for (int64_t i = 0; i < self.count; i++) {
    Tensor *grad = self.items[i];
    if (!pwt_is_floating((DType)grad->dtype)) {
      pwt_fail(PWT_NOT_IMPLEMENTED, "\"_amp_foreach_non_finite_check_and_unscale_cpu\" not implemented for '%t'", grad->dtype);
      return false;
    }
    if (!pwt_check_target(grad, FORM_INPLACE, pwt_grad_enabled && pwt_requires_grad(grad), "unscale")) return false;
    int64_t mark = pwt_scope_open();
    bool done = unscale(grad, factor, &wrong);
    pwt_scope_close(mark);
    if (!done) return false;
  }
  if (wrong) *(float *)pwt_data(found_inf) = 1;
  pwt_bump_version(found_inf);
  return true;
}

bool pwt_kernel__amp_update_scale(Tensor *self, Tensor *growth_tracker, Tensor *found_inf, double scale_growth_factor,
                                  double scale_backoff_factor, int64_t growth_interval) {
  if (growth_tracker->numel == 1 && growth_tracker->dtype != PWT_INT32)
    pwt_fail(PWT_RUNTIME_ERROR, "growth_tracker must be an int tensor.");
  if (pwt_failed() || !is_number(growth_tracker, "growth_tracker", PWT_INT32, "an int") ||
      !is_number(self, "current_scale", PWT_FLOAT32, "a float") || !is_number(found_inf, "found_inf", PWT_FLOAT32, "a float"))
    return false;
  float *scale = pwt_data(self);
  int32_t *tracker = pwt_data(growth_tracker);
  if (*(float *)pwt_data(found_inf) != 0) {
    *scale = (float)(*scale * scale_backoff_factor);
    *tracker = 0;
  } else if (*tracker + 1 == growth_interval) {
    float grown = (float)(*scale * scale_growth_factor);
    if (grown - grown == 0) *scale = grown;
    *tracker = 0;
  } else {
    *tracker += 1;
  }
  pwt_bump_version(self);
  pwt_bump_version(growth_tracker);
  return true;
}
