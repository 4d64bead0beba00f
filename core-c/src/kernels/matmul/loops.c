/* Matrix products of tensors below autograd: strides, batches and dtypes become gemm calls. */
#include "loops.h"

#include "gemm.h"

DType pwt_product_dtype(DType dtype) { return (DType)pwt_dtype_of_compute[pwt_compute_type[dtype]]; }

/* One matrix of a tensor, and where the next ones are. */
typedef struct {
  char *data;
  int64_t row, col, batch[PWT_MAX_DIMS];
} Operand;

typedef struct {
  DType dtype;
  int64_t m, n, k;
  int dims; /* of the batch; merged where all three operands allow it */
  int64_t sizes[PWT_MAX_DIMS];
  Operand a, b, c;
} Product;

static Operand operand_of(const Tensor *t, int dims) {
  Operand o = {.data = pwt_data(t), .row = t->strides[t->ndim - 2], .col = t->strides[t->ndim - 1]};
  for (int i = 0; i < dims; i++) {
    int d = i - (dims - (t->ndim - 2));
    o.batch[i] = d < 0 || t->sizes[d] == 1 ? 0 : t->strides[d];
  }
  return o;
}

static void merge_batches(Product *p) {
  int kept = 0;
  for (int i = 0; i < p->dims; i++) {
    if (p->sizes[i] == 1) continue;
    int64_t n = p->sizes[i];
    bool joins = kept && p->a.batch[kept - 1] == n * p->a.batch[i] && p->b.batch[kept - 1] == n * p->b.batch[i] &&
                 p->c.batch[kept - 1] == n * p->c.batch[i];
    int at = joins ? kept - 1 : kept++;
    p->sizes[at] = joins ? p->sizes[at] * n : n;
    p->a.batch[at] = p->a.batch[i], p->b.batch[at] = p->b.batch[i], p->c.batch[at] = p->c.batch[i];
  }
  p->dims = kept;
}

/* A batch whose rows follow one another is one taller matrix. */
static void fold_rows(Product *p) {
  int last = p->dims - 1;
  if (last < 0 || p->b.batch[last] || p->a.batch[last] != p->m * p->a.row || p->c.batch[last] != p->m * p->c.row) return;
  p->m *= p->sizes[last];
  p->dims--;
}

/* A sum over a batch whose columns (of a) and rows (of b) follow one another is one product with a larger k. */
static void fold_depth(Product *p) {
  int last = p->dims - 1;
  if (last < 0 || p->a.batch[last] != p->k * p->a.col || p->b.batch[last] != p->k * p->b.row) return;
  p->k *= p->sizes[last];
  p->dims--;
}

typedef struct {
  void *data;
  int64_t bytes;
} Workspace;

static void multiply(const Product *p, int64_t batch, int64_t a_batch, int64_t b_batch, int64_t c_batch, const char *a,
                     const char *b, char *c, bool accumulate, Workspace work) {
#define ARGUMENTS(T)                                                                                                  \
  batch, p->m, p->n, p->k, (const T *)a, a_batch, p->a.row, p->a.col, (const T *)b, b_batch, p->b.row, p->b.col, (T *)c, \
      c_batch, p->c.row, accumulate
  switch (p->dtype) {
    case PWT_FLOAT32: pwt_bmm_f32(ARGUMENTS(float), work.data, work.bytes); break;
    case PWT_FLOAT64: pwt_bmm_f64(ARGUMENTS(double), work.data, work.bytes); break;
    case PWT_INT32: pwt_bmm_i32(ARGUMENTS(int32_t)); break;
    case PWT_INT64: pwt_bmm_i64(ARGUMENTS(int64_t)); break;
    case PWT_COMPLEX64: pwt_bmm_c64(ARGUMENTS(complex64)); break;
    default: pwt_bmm_c128(ARGUMENTS(complex128)); break;
  }
#undef ARGUMENTS
}

static bool workspace_for(const Product *p, int64_t batch, Workspace *work) {
  *work = (Workspace){NULL, 0};
  if (p->dtype == PWT_FLOAT32) work->bytes = pwt_bmm_workspace_f32(batch, p->m, p->n, p->k);
  if (p->dtype == PWT_FLOAT64) work->bytes = pwt_bmm_workspace_f64(batch, p->m, p->n, p->k);
  if (work->bytes) work->data = pwt_scratch(work->bytes);
  return !work->bytes || work->data;
}

/* The innermost batch dimension is the kernels' batch (unless all products go to one place); the others are walked here. */
static bool run(Product *p, bool accumulate, bool one_place) {
  int inner = !one_place && p->dims > 0;
  int64_t batch = inner ? p->sizes[p->dims - 1] : 1, outer = pwt_product(p->sizes, p->dims - inner), item = pwt_itemsize[p->dtype];
  int last = p->dims - 1;
  Workspace work;
  if (!workspace_for(p, batch, &work)) return false;
  int64_t index[PWT_MAX_DIMS] = {0};
  const char *a = p->a.data, *b = p->b.data;
  char *c = p->c.data;
  for (int64_t i = 0; i < outer; i++) {
    multiply(p, batch, inner ? p->a.batch[last] : 0, inner ? p->b.batch[last] : 0, inner ? p->c.batch[last] : 0, a, b, c, accumulate || (one_place && i), work);
    for (int d = p->dims - 1 - inner; d >= 0; d--) {
      a += p->a.batch[d] * item, b += p->b.batch[d] * item, c += p->c.batch[d] * item;
      if (++index[d] < p->sizes[d]) break;
      a -= p->sizes[d] * p->a.batch[d] * item, b -= p->sizes[d] * p->b.batch[d] * item, c -= p->sizes[d] * p->c.batch[d] * item;
      index[d] = 0;
    }
  }
  return true;
}

static bool plan(Product *p, Tensor *a, Tensor *b, DType dtype) {
  p->dtype = dtype;
  p->m = a->sizes[a->ndim - 2], p->k = a->sizes[a->ndim - 1], p->n = b->sizes[b->ndim - 1];
  p->dims = PWT_MAX(a->ndim, b->ndim) - 2;
  for (int i = 0; i < p->dims; i++) {
    int i_a = i - (p->dims - (a->ndim - 2)), i_b = i - (p->dims - (b->ndim - 2));
    int64_t size_a = i_a < 0 ? 1 : a->sizes[i_a], size_b = i_b < 0 ? 1 : b->sizes[i_b];
    if (size_a != size_b && size_a != 1 && size_b != 1) {
      pwt_fail(PWT_RUNTIME_ERROR, "The size of tensor a (%i) must match the size of tensor b (%i) at non-singleton dimension %d", size_a, size_b, i);
      return false;
    }
    p->sizes[i] = size_a == 1 ? size_b : size_a;
  }
  p->a = operand_of(a, p->dims);
  p->b = operand_of(b, p->dims);
  return true;
}

Tensor *pwt_raw_matmul(Tensor *a, Tensor *b, Tensor *start, DType dtype) {
  Product p;
  a = pwt_raw_cast(a, dtype), b = pwt_raw_cast(b, dtype);
  if (!a || !b || !plan(&p, a, b, dtype)) return NULL;
  p.sizes[p.dims] = p.m, p.sizes[p.dims + 1] = p.n;
  Tensor *result = pwt_new(p.dims + 2, p.sizes, dtype);
  if (!result) return NULL;
  if (start) pwt_raw_copy(result, start);
  p.c = operand_of(result, p.dims);
  if (result->numel == 0 || pwt_on_meta) return result;
  merge_batches(&p);
  fold_rows(&p);
  return run(&p, start != NULL, false) ? result : NULL;
}

Tensor *pwt_raw_matmul_sum(Tensor *a, Tensor *b, DType dtype) {
  Product p;
  a = pwt_raw_cast(a, dtype), b = pwt_raw_cast(b, dtype);
  if (!a || !b || !plan(&p, a, b, dtype)) return NULL;
  bool empty = pwt_product(p.sizes, p.dims) == 0;
  Tensor *result = empty ? pwt_new_zeros(2, (const int64_t[]){p.m, p.n}, dtype) : pwt_new(2, (const int64_t[]){p.m, p.n}, dtype);
  if (!result || empty || result->numel == 0 || pwt_on_meta) return result;
  p.c = (Operand){.data = pwt_data(result), .row = p.n, .col = 1};
  merge_batches(&p);
  fold_depth(&p);
  return run(&p, false, true) ? result : NULL;
}

Tensor *pwt_raw_unsqueeze(Tensor *t, int dim) {
  int64_t sizes[PWT_MAX_DIMS + 1], strides[PWT_MAX_DIMS + 1];
  for (int i = 0, d = 0; i <= t->ndim; i++) {
    sizes[i] = i == dim ? 1 : t->sizes[d];
    strides[i] = i == dim ? 1 : t->strides[d];
    d += i != dim;
  }
  return pwt_alias(t, t->ndim + 1, sizes, strides, t->offset);
}

Tensor *pwt_raw_transpose(Tensor *t) {
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, t->sizes, t->ndim * 8);
  pwt_copy_bytes(strides, t->strides, t->ndim * 8);
  int row = t->ndim - 2, col = t->ndim - 1;
  sizes[row] = t->sizes[col], sizes[col] = t->sizes[row];
  strides[row] = t->strides[col], strides[col] = t->strides[row];
  return pwt_alias(t, t->ndim, sizes, strides, t->offset);
}
