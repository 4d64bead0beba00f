/* searchsorted, bucketize, isin. */
#include "base/parallel.h"
#include "ops.h"
#include "loops.h"

#define GRAIN 4096

typedef struct {
  ComputeType type;
  const char *sorted, *values;
  const int64_t *sorter;
  int64_t length, per_row; /* of the sequence; values that share a sequence */
  int64_t *positions;
  bool right;
} Search;

static void search_values(void *context, int64_t begin, int64_t end) {
  const Search *s = context;
  int64_t itemsize = pwt_compute_size[s->type];
  for (int64_t i = begin; i < end;) {
    int64_t row = i / s->per_row, count = PWT_MIN(end, (row + 1) * s->per_row) - i;
    pwt_searchsorted_row(s->type, s->sorted + row * s->length * itemsize, s->sorter ? s->sorter + row * s->length : NULL, s->length,
                         s->values + i * itemsize, s->positions + i, count, s->right);
    i += count;
  }
}

/* As the common dtype, whose compute type the search runs in. */
static Tensor *compared(Tensor *t, DType common) {
  return pwt_raw_contiguous_as(pwt_raw_cast(t, common), (DType)pwt_dtype_of_compute[pwt_compute_type[common]]);
}

static Tensor *searched(Tensor *sequence, Tensor *values, Tensor *sorter, bool right, bool out_int32) {
  DType common = pwt_result_type((Tensor *[]){sequence, values}, 2);
  if (pwt_is_complex(common) || common == PWT_BOOL)
    return pwt_fail(PWT_NOT_IMPLEMENTED, "\"searchsorted_out_cpu\" not implemented for '%t'", common);
  ComputeType type = (ComputeType)pwt_compute_type[common];
  Tensor *positions = pwt_new(values->ndim, values->sizes, PWT_INT64);
  Tensor *keys = compared(sequence, common), *wanted = compared(values, common), *order = sorter ? pwt_raw_contiguous(sorter) : NULL;
  if (pwt_failed()) return NULL;
  int64_t length = sequence->sizes[sequence->ndim - 1];
  int64_t per_row = sequence->ndim == 1 ? PWT_MAX(values->numel, 1) : values->sizes[values->ndim - 1];
  Search job = {type, pwt_data(keys), pwt_data(wanted), order ? pwt_data(order) : NULL, length, per_row, pwt_data(positions), right};
  if (values->numel) pwt_parallel_for(values->numel, GRAIN, search_values, &job);
  return out_int32 ? pwt_raw_cast(positions, PWT_INT32) : positions;
}

static bool rows_match(const Tensor *sequence, const Tensor *values) {
  if (sequence->ndim != values->ndim) return false;
  for (int i = 0; i < sequence->ndim - 1; i++)
    if (sequence->sizes[i] != values->sizes[i]) return false;
  return true;
}

static bool check_sorter(Tensor *sequence, Tensor *sorter) {
  if (!pwt_same_sizes(sequence, sorter))
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor %zand got sorter tensor %z",
                    sequence->sizes, (int)sequence->ndim, sorter->sizes, (int)sorter->ndim);
  if (sorter->dtype != PWT_INT64)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype %t", (DType)sorter->dtype);
  Tensor *order = pwt_raw_contiguous(sorter);
  const int64_t *indices = order ? pwt_data(order) : NULL;
  for (int64_t i = 0; order && i < order->numel && !pwt_on_meta; i++)
    if (indices[i] < 0 || indices[i] >= sequence->sizes[sequence->ndim - 1])
      return pwt_fail(PWT_RUNTIME_ERROR, "torch.searchsorted(): sorter index out of range");
  return order != NULL;
}

static bool check_search(Tensor *sequence, Tensor *values, bool right, const char *side, Tensor *sorter) {
  if (side) {
    bool says_right = pwt_same_text(side, "right");
    if (!says_right && !pwt_same_text(side, "left"))
      return pwt_fail(PWT_RUNTIME_ERROR, "torch.searchsorted(): side can only be 'left' or 'right' but got %s", side);
    if (right && !says_right)
      return pwt_fail(PWT_RUNTIME_ERROR, "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True");
  }
  if (sequence->ndim == 0)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension");
  if (sorter && !check_sorter(sequence, sorter)) return false;
  if (values->ndim == 0 && sequence->ndim != 1)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor "
                    "dim(%d) and input value's dim(0) numel(1)", (int)sequence->ndim);
  if (sequence->ndim != 1 && !rows_match(sequence, values))
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input "
                    "value tensor must match, but we got boundaries tensor %z and input value tensor %z",
                    sequence->sizes, (int)sequence->ndim, values->sizes, (int)values->ndim);
  return true;
}

Tensor *pwt_kernel_searchsorted(Tensor *sorted_sequence, Tensor *self, bool out_int32, bool right, const char *side, Tensor *sorter) {
  if (!check_search(sorted_sequence, self, right, side, sorter)) return NULL;
  return searched(sorted_sequence, self, sorter, right || (side && pwt_same_text(side, "right")), out_int32);
}

Tensor *pwt_kernel_bucketize(Tensor *self, Tensor *boundaries, bool out_int32, bool right) {
  if (boundaries->ndim != 1) return pwt_fail(PWT_RUNTIME_ERROR, "boundaries tensor must be 1 dimension, but got dim(%d)", (int)boundaries->ndim);
  return searched(boundaries, self, NULL, right, out_int32);
}

/* ---- isin ---- */
#define MARK(T)                                                                                         \
  for (int64_t i = 0; i < count; i++)                                                                   \
    found[i] = (positions[i] < n && ((const T *)sorted)[positions[i]] == ((const T *)values)[i]) != invert;

static void mark_found(ComputeType type, const void *sorted, int64_t n, const void *values, const int64_t *positions, int64_t count,
                       bool invert, uint8_t *found) {
  switch (type) {
    case CT_F32: MARK(float) break;
    case CT_F64: MARK(double) break;
    case CT_I64: MARK(int64_t) break;
    default: MARK(int32_t)
  }
}

static bool check_isin(Tensor *t) {
  if (!pwt_is_complex((DType)t->dtype) && t->dtype != PWT_BOOL) return true;
  return pwt_fail(PWT_RUNTIME_ERROR, "Unsupported input type encountered for isin(): %t", (DType)t->dtype);
}

Tensor *pwt_kernel_isin(Tensor *elements, Tensor *test_elements, bool assume_unique, bool invert) {
  (void)assume_unique;
  if (!check_isin(elements) || !check_isin(test_elements)) return NULL;
  DType common = pwt_result_type((Tensor *[]){elements, test_elements}, 2);
  ComputeType type = (ComputeType)pwt_compute_type[common];
  int64_t n = test_elements->numel;
  Tensor *values = compared(elements, common), *tests = compared(test_elements, common);
  Tensor *sorted = pwt_new(1, &n, (DType)pwt_dtype_of_compute[type]), *found = pwt_new(elements->ndim, elements->sizes, PWT_BOOL);
  int64_t *positions = pwt_scratch(8 * elements->numel);
  void *workspace = pwt_scratch(pwt_sort_workspace(type, n));
  if (pwt_failed()) return NULL;
  if (pwt_on_meta) return found;
  pwt_sort_row(type, pwt_data(tests), pwt_data(sorted), NULL, n, false, workspace);
  Search job = {type, pwt_data(sorted), pwt_data(values), NULL, n, PWT_MAX(elements->numel, 1), positions, false};
  if (elements->numel) pwt_parallel_for(elements->numel, GRAIN, search_values, &job);
  if (pwt_failed()) return NULL;
  mark_found(type, pwt_data(sorted), n, pwt_data(values), positions, elements->numel, invert, pwt_data(found));
  return found;
}
