/* embedding_bag: sums, means and maxima of rows, with gradients. */
#include "base/parallel.h"
#include "ops.h"

enum { SUM, MEAN, MAX };

typedef struct {
  const void *table, *grad, *scale;
  const int64_t *rows, *starts, *argmax; /* starts [bags + 1] */
  void *out;
  int64_t *chosen, *count; /* count [bags]: of what padding leaves */
  int64_t bags, width, height, padding;
  int mode;
} Job;

#define BAGS(S, T)                                                                                             \
  static void forward_##S(void *context, int64_t begin, int64_t end) {                                         \
    const Job *j = context;                                                                                    \
    for (int64_t b = begin; b < end; b++) {                                                                    \
      T *restrict out = (T *)j->out + b * j->width;                                                            \
      int64_t *chosen = j->chosen + (j->mode == MAX ? b * j->width : 0), n = 0;                                \
      for (int64_t k = 0; k < j->width; k++) out[k] = 0;                                                       \
      for (int64_t k = 0; k < j->width && j->mode == MAX; k++) chosen[k] = -1;                                 \
      for (int64_t i = j->starts[b]; i < j->starts[b + 1]; i++) {                                              \
        if (j->rows[i] == j->padding) continue;                                                                \
        const T *restrict row = (const T *)j->table + j->rows[i] * j->width;                                   \
        T scale = j->scale ? ((const T *)j->scale)[i] : 1;                                                     \
        if (j->mode == MAX)                                                                                    \
          for (int64_t k = 0; k < j->width; k++) {                                                             \
            if (n == 0 || row[k] > out[k] || row[k] != row[k]) out[k] = row[k], chosen[k] = j->rows[i];        \
          }                                                                                                    \
        else                                                                                                   \
          for (int64_t k = 0; k < j->width; k++) out[k] += row[k] * scale;                                     \
        n++;                                                                                                   \
      }                                                                                                        \
      j->count[b] = n;                                                                                         \
      for (int64_t k = 0; k < j->width && j->mode == MEAN && n; k++) out[k] /= (T)n;                           \
    }                                                                                                          \
  }                                                                                                            \
  static void backward_##S(const Job *j, const double *frequency) {                                            \
    for (int64_t b = 0; b < j->bags; b++) {                                                                    \
      const T *restrict g = (const T *)j->grad + b * j->width;                                                 \
      if (j->mode == MAX) {                                                                                    \
        for (int64_t k = 0; k < j->width; k++)                                                                 \
          if (j->argmax[b * j->width + k] >= 0) ((T *)j->out)[j->argmax[b * j->width + k] * j->width + k] += g[k]; \
        continue;                                                                                              \
      }                                                                                                        \
      for (int64_t i = j->starts[b]; i < j->starts[b + 1]; i++) {                                              \
        if (j->rows[i] == j->padding) continue;                                                                \
        double scale = j->mode == MEAN ? 1 / (double)j->count[b] : j->scale ? (double)((const T *)j->scale)[i] : 1; \
        if (frequency) scale /= frequency[j->rows[i]];                                                         \
        T *restrict to = (T *)j->out + j->rows[i] * j->width, factor = (T)scale;                               \
        for (int64_t k = 0; k < j->width; k++) to[k] += g[k] * factor;                                         \
      }                                                                                                        \
    }                                                                                                          \
  }                                                                                                            \
  static void scale_backward_##S(const Job *j) {                                                               \
    for (int64_t b = 0; b < j->bags; b++)                                                                      \
      for (int64_t i = j->starts[b]; i < j->starts[b + 1]; i++) {                                              \
        double total = 0;                                                                                      \
        for (int64_t k = 0; k < j->width && j->rows[i] != j->padding; k++)                                     \
          total += (double)((const T *)j->grad)[b * j->width + k] * (double)((const T *)j->table)[j->rows[i] * j->width + k]; \
        ((T *)j->out)[i] = (T)total;                                                                           \
      }                                                                                                        \
  }
BAGS(f32, float)
BAGS(f64, double)

static DType wide_dtype(Tensor *t) { return t->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32; }

static bool wrong_type(const char *name, const Tensor *t) {
  pwt_fail(PWT_RUNTIME_ERROR, "embedding_bag: argument '%s' has the wrong type: got torch.%sTensor", name, pwt_dtype_message_name((DType)t->dtype));
  return false;
}

static bool read_bags(Job *j, Tensor *weight, Tensor *indices, Tensor *starts, Tensor *scale, int64_t mode, int64_t padding) {
  if (indices->dtype != PWT_INT64 && indices->dtype != PWT_INT32) return wrong_type("indices", indices);
  if (starts->dtype != PWT_INT64 && starts->dtype != PWT_INT32) return wrong_type("offsets", starts);
  if (!pwt_is_floating((DType)weight->dtype) || weight->ndim != 2) return wrong_type("weight", weight);
  if (scale && scale->dtype != weight->dtype) return wrong_type("per_sample_weights", scale);
  Tensor *rows = pwt_raw_contiguous_as(indices, PWT_INT64), *begin = pwt_raw_contiguous_as(starts, PWT_INT64);
  Tensor *factors = pwt_raw_contiguous_as(scale, wide_dtype(weight));
  if (!rows || !begin || pwt_failed()) return false;
  *j = (Job){.rows = pwt_data(rows), .starts = pwt_data(begin), .scale = factors ? pwt_data(factors) : NULL, .bags = PWT_MAX(starts->numel - 1, 0), .width = weight->sizes[1],
             .height = weight->sizes[0], .padding = padding, .mode = (int)mode};
  if (pwt_on_meta) return true;
  for (int64_t i = 0; i < rows->numel; i++)
    if (j->rows[i] < 0 || j->rows[i] >= j->height)
      return pwt_fail(PWT_RUNTIME_ERROR, "Index %i of input takes value %i which is not in the valid range [0, %i)", i, j->rows[i], j->height), false;
  for (int64_t b = 0; b < j->bags; b++)
    if (j->starts[b] < 0 || j->starts[b] > j->starts[b + 1] || j->starts[b + 1] > rows->numel)
      return pwt_fail(PWT_RUNTIME_ERROR, "embedding_bag: offsets run from %i to %i in %i indices", j->starts[b], j->starts[b + 1], rows->numel), false;
  return true;
}

Tensors3 pwt_kernel__bags(Tensor *weight, Tensor *indices, Tensor *starts, Tensor *per_sample_weights, int64_t mode, int64_t padding_idx, bool scale_grad_by_freq) {
  Tensors3 none = {{NULL, NULL, NULL}};
  (void)scale_grad_by_freq;
  Job j;
  if (!read_bags(&j, weight, indices, starts, per_sample_weights, mode, padding_idx)) return none;
  DType dtype = wide_dtype(weight);
  int64_t sizes[] = {j.bags, j.width}, unused = 0;
  Tensor *table = pwt_raw_contiguous_as(weight, dtype), *out = pwt_new(2, sizes, dtype), *count = pwt_new(1, sizes, PWT_INT64);
  Tensor *chosen = mode == MAX ? pwt_new(2, sizes, PWT_INT64) : pwt_new(1, &unused, PWT_INT64);
  if (!table || !out || !count || !chosen) return none;
  j.table = pwt_data(table), j.out = pwt_data(out), j.count = pwt_data(count), j.chosen = pwt_data(chosen);
  int64_t work = j.bags ? indices->numel / j.bags * j.width : 1;
  pwt_parallel_for(j.bags, pwt_grain(32768, work), dtype == PWT_FLOAT32 ? forward_f32 : forward_f64, &j);
  return (Tensors3){{pwt_raw_cast(out, (DType)weight->dtype), count, chosen}};
}

Tensors2 pwt_kernel__bags_backward(Tensor *grad, Tensor *weight, Tensor *indices, Tensor *starts, Tensor *per_sample_weights, int64_t mode, int64_t padding_idx, bool scale_grad_by_freq, Tensor *count,
                                   Tensor *chosen, int64_t wanted) {
  Tensors2 none = {{NULL, NULL}};
  Job j;
  if (!read_bags(&j, weight, indices, starts, per_sample_weights, mode, padding_idx)) return none;
  DType dtype = wide_dtype(weight);
  Tensor *g = pwt_raw_contiguous_as(grad, dtype), *table = pwt_raw_contiguous_as(weight, dtype), *to_weight = NULL, *to_scale = NULL;
  if (pwt_on_meta) {
    to_weight = wanted & 1 ? pwt_new(2, weight->sizes, (DType)weight->dtype) : NULL;
    to_scale = per_sample_weights && wanted & 2 ? pwt_new(1, &indices->numel, (DType)per_sample_weights->dtype) : NULL;
    return (Tensors2){{to_weight, to_scale}};
  }
  double *frequency = scale_grad_by_freq ? pwt_scratch_items(j.height, 8) : NULL;
  if (!g || !table || pwt_failed()) return none;
  j.grad = pwt_data(g), j.table = pwt_data(table), j.count = pwt_data(count), j.argmax = pwt_data(chosen);
  if (frequency) {
    pwt_fill_bytes(frequency, 0, j.height * 8);
    for (int64_t i = 0; i < indices->numel; i++) frequency[j.rows[i]] += 1;
  }
  if (wanted & 1) {
    if (!(to_weight = pwt_new_zeros(2, weight->sizes, dtype))) return none;
    j.out = pwt_data(to_weight);
    if (dtype == PWT_FLOAT32) backward_f32(&j, frequency);
    else backward_f64(&j, frequency);
  }
  if (per_sample_weights && wanted & 2) {
    if (!(to_scale = pwt_new_zeros(1, &indices->numel, dtype))) return none;
    j.out = pwt_data(to_scale);
    if (dtype == PWT_FLOAT32) scale_backward_f32(&j);
    else scale_backward_f64(&j);
  }
  return (Tensors2){{pwt_raw_cast(to_weight, (DType)weight->dtype), to_scale ? pwt_raw_cast(to_scale, (DType)per_sample_weights->dtype) : NULL}};
}
