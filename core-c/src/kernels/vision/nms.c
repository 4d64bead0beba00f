/* nms: boxes by descending score, without those that overlap an earlier one by more than a share of their union. */
#include "base/parallel.h"
#include "ops.h"
#include "sort/loops.h"

#define SUPPRESS(S, T)                                                                                                \
  static int64_t suppress_##S(const T *boxes, const int64_t *order, int64_t n, double threshold, bool *gone, int64_t *kept) { \
    int64_t count = 0;                                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                                                 \
      if (gone[i]) continue;                                                                                          \
      if (i % 8 == 0 && pwt_breathe()) break;                                                                         \
      const T *a = boxes + order[i] * 4;                                                                              \
      T own = (a[2] - a[0]) * (a[3] - a[1]);                                                                          \
      kept[count++] = order[i];                                                                                       \
      for (int64_t j = i + 1; j < n; j++) {                                                                           \
        const T *b = boxes + order[j] * 4;                                                                            \
        T width = PWT_MIN(a[2], b[2]) - PWT_MAX(a[0], b[0]), height = PWT_MIN(a[3], b[3]) - PWT_MAX(a[1], b[1]);      \
        T common = PWT_MAX((T)0, width) * PWT_MAX((T)0, height), other = (b[2] - b[0]) * (b[3] - b[1]);               \
        if ((double)(common / (own + other - common)) > threshold) gone[j] = true;                                    \
      }                                                                                                               \
    }                                                                                                                 \
    return count;                                                                                                     \
  }
SUPPRESS(f32, float)
SUPPRESS(f64, double)

static bool check(Tensor *dets, Tensor *scores) {
  if (dets->ndim != 2) pwt_fail(PWT_RUNTIME_ERROR, "boxes should be a 2d tensor, got %dD", (int)dets->ndim);
  else if (dets->sizes[1] != 4) pwt_fail(PWT_RUNTIME_ERROR, "boxes should have 4 elements in dimension 1, got %i", dets->sizes[1]);
  else if (scores->ndim != 1) pwt_fail(PWT_RUNTIME_ERROR, "scores should be a 1d tensor, got %dD", (int)scores->ndim);
  else if (dets->sizes[0] != scores->sizes[0])
    pwt_fail(PWT_RUNTIME_ERROR, "boxes and scores should have same number of elements in dimension 0, got %i and %i", dets->sizes[0], scores->sizes[0]);
  else if (dets->dtype != scores->dtype) pwt_fail(PWT_RUNTIME_ERROR, "dets should have the same type as scores");
  else if (dets->dtype != PWT_FLOAT32 && dets->dtype != PWT_FLOAT64) pwt_fail(PWT_NOT_IMPLEMENTED, "\"nms_kernel\" not implemented for '%t'", dets->dtype);
  return !pwt_failed();
}

Tensor *pwt_kernel_nms(Tensor *dets, Tensor *scores, double threshold) {
  if (!check(dets, scores)) return NULL;
  int64_t n = dets->sizes[0];
  ComputeType type = dets->dtype == PWT_FLOAT64 ? CT_F64 : CT_F32;
  Tensor *boxes = pwt_raw_contiguous(dets), *keys = pwt_raw_contiguous(scores);
  void *workspace = pwt_scratch(pwt_sort_workspace(type, n));
  int64_t *order = pwt_scratch_items(n, 8), *kept = pwt_scratch_items(n, 8);
  bool *gone = pwt_scratch_items(n, sizeof(bool));
  if (!boxes || !keys || !workspace || !order || !kept || !gone) return NULL;
  pwt_fill_bytes(gone, 0, n * (int64_t)sizeof(bool));
  if (n) pwt_sort_row(type, pwt_data(keys), NULL, order, n, true, workspace);
  int64_t count = type == CT_F64 ? suppress_f64(pwt_data(boxes), order, n, threshold, gone, kept) : suppress_f32(pwt_data(boxes), order, n, threshold, gone, kept);
  Tensor *result = pwt_new(1, &count, PWT_INT64);
  if (result) pwt_copy_bytes(pwt_data(result), kept, count * 8);
  return result;
}
