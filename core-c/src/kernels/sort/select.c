/* kthvalue, median, nanmedian, mode. */
#include "base/parallel.h"
#include "ops.h"
#include "loops.h"
#include "rows.h"

typedef struct Selection Selection;
/* The index of the element that a row gives. */
typedef int64_t (*Choose)(const Selection *s, const void *keys, void *workspace);

struct Selection {
  const Rows *plan;
  Choose choose;
  int64_t position; /* of kthvalue */
  bool skips_nan;
  int64_t *indices;
  pwt_slots slots;
};

static void select_rows(void *context, int64_t begin, int64_t end) {
  Selection *s = context;
  int64_t bytes = s->plan->length * pwt_compute_size[s->plan->type];
  void *workspace = pwt_slot_take(&s->slots);
  for (int64_t row = begin; row < end; row++)
    s->indices[row] = s->choose(s, (const char *)pwt_data(s->plan->input) + row * bytes, workspace);
  pwt_slot_give(&s->slots, workspace);
}

static int64_t choose_kth(const Selection *s, const void *keys, void *workspace) {
  (void)workspace;
  return pwt_select_row(s->plan->type, keys, s->plan->length, s->position, false);
}

#define COUNT_NAN(T)                                                                              \
  for (int64_t i = 0; i < n; i++) count += ((const T *)keys)[i] != ((const T *)keys)[i];

static int64_t count_nan(ComputeType type, const void *keys, int64_t n) {
  int64_t count = 0;
  if (type == CT_F32) COUNT_NAN(float)
  if (type == CT_F64) COUNT_NAN(double)
  return count;
}

static int64_t choose_median(const Selection *s, const void *keys, void *workspace) {
  (void)workspace;
  ComputeType type = s->plan->type;
  int64_t n = s->plan->length, first_nan = pwt_first_nan(type, keys, n);
  if (first_nan >= 0 && !s->skips_nan) return first_nan;
  int64_t numbers = first_nan < 0 ? n : n - count_nan(type, keys, n);
  return pwt_select_row(type, keys, n, PWT_MAX(numbers - 1, 0) / 2, false);
}

/* The workspace holds that of sorting, then the order, the counts and the values of the runs. */
static int64_t mode_workspace(ComputeType type, int64_t n) { return pwt_sort_workspace(type, n) + 3 * 8 * n; }

static int64_t choose_mode(const Selection *s, const void *keys, void *workspace) {
  ComputeType type = s->plan->type;
  int64_t n = s->plan->length;
  int64_t *order = (int64_t *)((char *)workspace + pwt_sort_workspace(type, n)), *counts = order + n;
  void *sorted = counts + n;
  pwt_sort_row(type, keys, sorted, order, n, false, workspace);
  int64_t runs = pwt_unique_row(type, sorted, NULL, n, NULL, NULL, counts), most = 0, end = 0, last = 0;
  for (int64_t run = 0; run < runs; run++) {
    end += counts[run];
    if (counts[run] > most) {
      most = counts[run];
      last = order[end - 1];
    }
  }
  return last;
}

static void gather_keys(const Rows *plan, const int64_t *indices, char *values) {
  int64_t itemsize = pwt_compute_size[plan->type];
  const char *keys = pwt_data(plan->input);
  for (int64_t row = 0; row < plan->rows; row++)
    pwt_copy_bytes(values + row * itemsize, keys + (row * plan->length + indices[row]) * itemsize, itemsize);
}

static Tensor *without_dim(const Rows *plan, Tensor *t, bool keepdim) {
  if (!t || keepdim || t->ndim == 0) return t;
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  int ndim = 0;
  for (int i = 0; i < t->ndim; i++)
    if (i != plan->dim) sizes[ndim++] = t->sizes[i];
  pwt_contiguous_strides(ndim, sizes, strides);
  return pwt_alias(t, ndim, sizes, strides, t->offset);
}

static Tensors2 selected(Tensor *self, Selection *s, const Rows *plan, bool keepdim, int64_t slot) {
  Tensor *values = pwt_rows_like(plan, 1, (DType)plan->input->dtype), *indices = pwt_rows_like(plan, 1, PWT_INT64);
  int64_t bytes = pwt_slots_bytes(slot);
  void *workspace = pwt_scratch(bytes);
  if (pwt_failed()) return (Tensors2){0};
  s->plan = plan;
  s->indices = pwt_data(indices);
  s->slots = pwt_slots_over(workspace, bytes, slot);
  if (indices->numel) pwt_parallel_for(plan->rows, pwt_grain(ROW_WORK / 4, plan->length), select_rows, s);
  if (pwt_failed()) return (Tensors2){0};
  if (!pwt_on_meta) gather_keys(plan, s->indices, pwt_data(values));
  return (Tensors2){{without_dim(plan, pwt_rows_restored(plan, values, (DType)self->dtype), keepdim),
                     without_dim(plan, pwt_rows_restored(plan, indices, PWT_INT64), keepdim)}};
}

static bool check_selection(Tensor *self, int64_t dim, const char *name) {
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return false;
  if (self->ndim && self->sizes[d] == 0)
    return pwt_fail(PWT_INDEX_ERROR, "%s(): Expected reduction dim %d to have non-zero size.", name, d);
  return true;
}

static bool check_ordered(Tensor *self, bool takes_bool, const char *kernel) {
  if (!pwt_is_complex((DType)self->dtype) && (takes_bool || self->dtype != PWT_BOOL)) return true;
  return pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s\" not implemented for '%t'", kernel, (DType)self->dtype);
}

Tensors2 pwt_kernel_kthvalue(Tensor *self, int64_t k, int64_t dim, bool keepdim) {
  Rows plan;
  Tensors2 none = {0};
  if (!check_selection(self, dim, "kthvalue")) return none;
  int d = pwt_wrap_dim(dim, self->ndim);
  if (k < 1 || k > (self->ndim ? self->sizes[d] : 1)) {
    pwt_fail(PWT_RUNTIME_ERROR, "kthvalue(): selected number k out of range for dimension %d", d);
    return none;
  }
  if (!check_ordered(self, false, "kthvalue_cpu") || !pwt_rows_along(&plan, self, dim)) return none;
  return selected(self, &(Selection){.choose = choose_kth, .position = k - 1}, &plan, keepdim, 0);
}

/* ---- median ---- */
static Tensors2 median_along(Tensor *self, int64_t dim, bool keepdim, bool skips_nan, const char *name) {
  Rows plan;
  if (!check_selection(self, dim, name) || !check_ordered(self, false, "median_out")) return (Tensors2){0};
  if (!pwt_rows_along(&plan, self, dim)) return (Tensors2){0};
  return selected(self, &(Selection){.choose = choose_median, .skips_nan = skips_nan}, &plan, keepdim, 0);
}

Tensors2 pwt_kernel_median_dim(Tensor *self, int64_t dim, bool keepdim) {
  return median_along(self, dim, keepdim, false, "median");
}

Tensors2 pwt_kernel_nanmedian_dim(Tensor *self, int64_t dim, bool keepdim) {
  return median_along(self, dim, keepdim, true, "nanmedian");
}

/* NaN, and what torch's conversion of NaN to an integer gives. */
static Tensor *median_of_none(DType dtype) {
  if (pwt_is_floating(dtype)) return pwt_full_scalar(pwt_scalar_float(__builtin_nan("")), dtype);
  return pwt_full_scalar(pwt_scalar_int(dtype == PWT_INT64 ? INT64_MIN : dtype == PWT_INT32 ? INT32_MIN : 0), dtype);
}

static Tensor *median_of_all(Tensor *self, bool skips_nan) {
  if (!check_ordered(self, false, "median_cpu")) return NULL;
  if (self->numel == 0) return median_of_none((DType)self->dtype);
  Tensor *flat = pwt_raw_contiguous(self);
  if (!flat) return NULL;
  int64_t one = 1;
  Tensor *row = pwt_alias(flat, 1, &self->numel, &one, flat->offset);
  return row ? median_along(row, 0, false, skips_nan, "median").r[0] : NULL;
}

Tensor *pwt_kernel_median(Tensor *self) { return median_of_all(self, false); }

Tensor *pwt_kernel_nanmedian(Tensor *self) { return median_of_all(self, true); }

/* ---- mode ---- */
Tensors2 pwt_kernel_mode(Tensor *self, int64_t dim, bool keepdim) {
  Rows plan;
  if (!check_selection(self, dim, "mode") || !check_ordered(self, true, "mode_cpu")) return (Tensors2){0};
  if (!pwt_rows_along(&plan, self, dim)) return (Tensors2){0};
  return selected(self, &(Selection){.choose = choose_mode}, &plan, keepdim, mode_workspace(plan.type, plan.length));
}
