/* eig, eigh, svd and their values-only forms, in batches; computed in double for every dtype. */
#include "base/parallel.h"
#include "math.h"
#include "ops.h"
#include "spectral_buffers.h"

typedef enum { EIGH, SVD, EIG } Which;

typedef struct {
  Which which;
  bool complex, upper, wide;
  int64_t m, n, count; /* m >= n: a wide matrix is taken adjoint; count: of the left vectors */
  const char *input;
  char *values, *left, *right; /* NULL: not wanted */
  int32_t *failures;           /* 1: no convergence, 2: NaN */
  pwt_slots slots;
} Job;

int64_t pwt_spectral_workspace(int64_t m, int64_t n, int64_t itemsize) {
  return 4096 + n * (16 + 96 + 4 * itemsize + 32 * (int64_t)sizeof(Rotation)) + m * n * itemsize + n * n * (itemsize + 16);
}

/* Whether all numbers are finite; `nan` tells whether one is NaN. */
static bool all_finite(const double *x, int64_t count, bool *nan) {
  bool finite = true;
  *nan = false;
  for (int64_t i = 0; i < count; i++) {
    if (x[i] - x[i] == 0) continue;
    finite = false;
    *nan |= x[i] != x[i];
  }
  return finite;
}

static void fill_nan(char *to, int64_t count) {
  for (int64_t i = 0; to && i < count; i++) ((double *)to)[i] = __builtin_nan("");
}

static void load_matrix(const Job *job, int64_t item, char *to) {
  int64_t m = job->m, n = job->n, parts = job->complex ? 2 : 1;
  const double *from = (const double *)job->input + item * m * n * parts;
  if (!job->wide) {
    pwt_copy_bytes(to, from, m * n * parts * 8);
    return;
  }
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      if (job->complex) ((complex128 *)to)[i * n + j] = pwt_conj_c128(((const complex128 *)from)[j * m + i]);
      else ((double *)to)[i * n + j] = from[j * m + i];
    }
}

static void run_items(void *context, int64_t begin, int64_t end) {
  Job *job = context;
  int64_t m = job->m, n = job->n, item = job->complex ? 16 : 8, vector = job->which == EIG ? 16 : item, value = job->which == EIG ? 16 : 8;
  char *slot = pwt_slot_take(&job->slots), *work = slot + ((m * n * item + 63) & ~(int64_t)63);
  for (int64_t k = begin; k < end; k++) {
    double *values = (double *)(job->values + k * n * value);
    char *left = job->left ? job->left + k * job->count * m * vector : NULL, *right = job->right ? job->right + k * n * n * vector : NULL;
    bool nan, done;
    load_matrix(job, k, slot);
    if (!all_finite((double *)slot, m * n * item / 8, &nan)) {
      fill_nan((char *)values, n * value / 8);
      fill_nan(left, job->count * m * vector / 8);
      fill_nan(right, n * n * vector / 8);
      job->failures[k] = nan ? 2 : 3;
      continue;
    }
    if (job->which == EIGH)
      done = job->complex ? pwt_eigh_c128(n, (complex128 *)slot, job->upper, values, (complex128 *)left, work) : pwt_eigh_f64(n, (double *)slot, job->upper, values, (double *)left, work);
    else if (job->which == SVD)
      done = job->complex ? pwt_svd_c128(m, n, (complex128 *)slot, values, (complex128 *)left, job->count, (complex128 *)right, work)
                          : pwt_svd_f64(m, n, (double *)slot, values, (double *)left, job->count, (double *)right, work);
    else
      done = job->complex ? pwt_eig_c128(n, (complex128 *)slot, (complex128 *)values, (complex128 *)left, work) : pwt_eig_f64(n, (double *)slot, (complex128 *)values, (complex128 *)left, work);
    job->failures[k] = !done;
  }
  pwt_slot_give(&job->slots, slot);
}

static int64_t batch_of(const Tensor *A) { return pwt_product(A->sizes, A->ndim - 2); }

/* The index of the first failed matrix of a kind, or -1. */
static int64_t first_failure(const Job *job, int64_t batch, int32_t kind) {
  for (int64_t k = 0; k < batch && !pwt_on_meta; k++)
    if (job->failures[k] == kind) return k;
  return -1;
}

static bool run(Job *job, Tensor *A) {
  if (pwt_on_meta) return true;
  int64_t batch = batch_of(A), item = job->complex ? 16 : 8, matrix = (job->m * job->n * item + 63) & ~(int64_t)63;
  Tensor *input = pwt_raw_contiguous_as(A, job->complex ? PWT_COMPLEX128 : PWT_FLOAT64);
  int64_t slot = matrix + pwt_spectral_workspace(job->m, job->n, item), bytes = batch > 1 ? pwt_slots_bytes(slot) : slot + 64;
  void *workspace = pwt_scratch(bytes);
  job->failures = pwt_scratch_items(batch, sizeof *job->failures);
  if (pwt_failed()) return false;
  job->input = pwt_data(input);
  job->slots = pwt_slots_over(workspace, bytes, slot);
  /* a single matrix stays outside of a loop, so that the loops inside it can be shared */
  if (batch == 1) run_items(job, 0, 1);
  else if (batch) pwt_parallel_for(batch, pwt_grain(1 << 14, job->m * job->n * PWT_MAX(job->n, 8)), run_items, job);
  return true;
}

static bool fail_convergence(const Job *job, Tensor *A, const char *name) {
  int64_t k = first_failure(job, batch_of(A), 1);
  if (k < 0) return true;
  if (A->ndim > 2) pwt_fail(PWT_LINALG_ERROR, "%s: (Batch element %i): The algorithm failed to converge.", name, k);
  else pwt_fail(PWT_LINALG_ERROR, "%s: The algorithm failed to converge.", name);
  return false;
}

static bool is_matrix(Tensor *A, const char *name, bool square) {
  if (A->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "%s: The input tensor A must have at least 2 dimensions.", name);
  int64_t rows = A->sizes[A->ndim - 2], columns = A->sizes[A->ndim - 1];
  if (square && rows != columns) return pwt_fail(PWT_RUNTIME_ERROR, "%s: A must be batches of square matrices, but they are %i by %i matrices", name, rows, columns);
  return true;
}

static bool is_precise(Tensor *A, const char *kernel) {
  return A->dtype >= PWT_FLOAT32 || pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s\" not implemented for '%t'", kernel, A->dtype);
}

/* A new tensor of A's batch sizes and these last ones; two < 0: of vectors. */
static Tensor *like_batch(Tensor *A, int64_t one, int64_t two, DType dtype) {
  int64_t sizes[PWT_MAX_DIMS];
  int ndim = A->ndim - (two < 0);
  pwt_copy_bytes(sizes, A->sizes, (A->ndim - 2) * 8);
  if (two >= 0) sizes[ndim - 2] = one, sizes[ndim - 1] = two;
  else sizes[ndim - 1] = one;
  return pwt_new(ndim, sizes, dtype);
}

static Tensor *transposed(Tensor *t) {
  if (!t) return NULL;
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  int n = t->ndim;
  pwt_copy_bytes(sizes, t->sizes, n * 8);
  pwt_copy_bytes(strides, t->strides, n * 8);
  sizes[n - 1] = t->sizes[n - 2], sizes[n - 2] = t->sizes[n - 1];
  strides[n - 1] = t->strides[n - 2], strides[n - 2] = t->strides[n - 1];
  return pwt_alias(t, n, sizes, strides, t->offset);
}

/* Vectors that stand in rows as columns, in memory as torch lays them. */
static Tensor *in_columns(Tensor *rows, DType dtype) { return transposed(pwt_raw_cast(rows, dtype)); }

static void conjugate(Tensor *t) {
  if (!t || pwt_on_meta || !pwt_is_complex((DType)t->dtype)) return;
  double *parts = pwt_data(t);
  for (int64_t i = 0; i < t->numel; i++) parts[2 * i + 1] = -parts[2 * i + 1];
}

static const int64_t nothing = 0;
static Tensor *empty(DType dtype) { return pwt_new(1, &nothing, dtype); }

Tensors2 pwt_kernel__linalg_eigh(Tensor *A, const char *UPLO, bool compute_v) {
  Tensors2 none = {0};
  if (!is_matrix(A, "linalg.eigh", true)) return none;
  char side = UPLO[0] >= 'a' ? (char)(UPLO[0] - 32) : UPLO[0];
  if ((side != 'L' && side != 'U') || UPLO[1]) return pwt_fail(PWT_RUNTIME_ERROR, "Expected UPLO argument to be 'L' or 'U', but got %s", UPLO), none;
  if (!is_precise(A, "linalg_eigh_cpu")) return none;
  DType dtype = (DType)A->dtype, wide = pwt_is_complex(dtype) ? PWT_COMPLEX128 : PWT_FLOAT64;
  int64_t n = A->sizes[A->ndim - 1];
  Tensor *values = like_batch(A, n, -1, PWT_FLOAT64), *rows = compute_v ? like_batch(A, n, n, wide) : NULL;
  if (pwt_failed()) return none;
  Job job = {.which = EIGH, .complex = pwt_is_complex(dtype), .upper = side == 'U', .m = n, .n = n, .count = n, .values = pwt_data(values), .left = rows ? pwt_data(rows) : NULL};
  if (!run(&job, A) || !fail_convergence(&job, A, "linalg.eigh")) return none;
  return (Tensors2){{pwt_raw_cast(values, pwt_real_dtype(dtype)), rows ? in_columns(rows, dtype) : empty(dtype)}};
}

Tensors3 pwt_kernel__linalg_svd(Tensor *A, bool full_matrices, bool compute_uv) {
  Tensors3 none = {0};
  if (!is_matrix(A, "linalg.svd", false)) return none;
  DType dtype = (DType)A->dtype;
  if (!pwt_is_differentiable(dtype)) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.svd: Expected a floating point or complex tensor as input. Got %t", dtype), none;
  if (!is_precise(A, "linalg_svd_cpu")) return none;
  bool complex = pwt_is_complex(dtype);
  DType precise = complex ? PWT_COMPLEX128 : PWT_FLOAT64;
  int64_t rows = A->sizes[A->ndim - 2], columns = A->sizes[A->ndim - 1], m = PWT_MAX(rows, columns), n = PWT_MIN(rows, columns), count = full_matrices ? m : n;
  Tensor *values = like_batch(A, n, -1, PWT_FLOAT64), *left = compute_uv ? like_batch(A, count, m, precise) : NULL, *right = compute_uv ? like_batch(A, n, n, precise) : NULL;
  if (pwt_failed()) return none;
  Job job = {.which = SVD, .complex = complex, .wide = rows < columns, .m = m, .n = n, .count = count, .values = pwt_data(values), .left = left ? pwt_data(left) : NULL,
             .right = right ? pwt_data(right) : NULL};
  if (!run(&job, A) || !fail_convergence(&job, A, "linalg.svd")) return none;
  int64_t k = first_failure(&job, batch_of(A), 2);
  const char *reason = "The algorithm failed to converge because the input matrix contained non-finite values.";
  if (k >= 0 && A->ndim > 2) return pwt_fail(PWT_LINALG_ERROR, "linalg.svd: (Batch element %i): %s", k, reason), none;
  if (k >= 0) return pwt_fail(PWT_LINALG_ERROR, "linalg.svd: %s", reason), none;
  Tensor *s = pwt_raw_cast(values, pwt_real_dtype(dtype));
  if (!compute_uv) return (Tensors3){{empty(dtype), s, empty(dtype)}};
  Tensor *u = job.wide ? right : left, *v = job.wide ? left : right;
  conjugate(v);
  Tensor *from = pwt_raw_cast(v, dtype), *vh = like_batch(A, v->sizes[v->ndim - 1], v->sizes[v->ndim - 2], dtype);
  if (pwt_failed()) return none;
  vh = transposed(vh);
  pwt_raw_copy(vh, from);
  return (Tensors3){{in_columns(u, dtype), s, vh}};
}

Tensors2 pwt_kernel__linalg_eig(Tensor *A, bool compute_v) {
  Tensors2 none = {0};
  if (!is_matrix(A, compute_v ? "linalg.eig" : "linalg.eigvals", true)) return none;
  DType dtype = (DType)A->dtype;
  if (!pwt_is_differentiable(dtype)) return pwt_fail(PWT_RUNTIME_ERROR, "Unknown Complex ScalarType for %t", dtype), none;
  if (!is_precise(A, "linalg_eig_out_cpu")) return none;
  bool complex = pwt_is_complex(dtype);
  int64_t n = A->sizes[A->ndim - 1];
  Tensor *values = like_batch(A, n, -1, PWT_COMPLEX128), *rows = compute_v ? like_batch(A, n, n, PWT_COMPLEX128) : NULL;
  if (pwt_failed()) return none;
  Job job = {.which = EIG, .complex = complex, .m = n, .n = n, .count = n, .values = pwt_data(values), .left = rows ? pwt_data(rows) : NULL};
  if (!run(&job, A) || !fail_convergence(&job, A, compute_v ? "linalg.eig" : "linalg.eigvals")) return none;
  int64_t batch = batch_of(A);
  if (first_failure(&job, batch, 2) >= 0 || first_failure(&job, batch, 3) >= 0)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.eig: input tensor should not contain infs or NaNs."), none;
  DType result = pwt_complex_dtype(dtype);
  return (Tensors2){{pwt_raw_cast(values, result), rows ? in_columns(rows, result) : empty(result)}};
}

/* ---- compositions: vectors are computed where a gradient will need them ---- */
static bool records(const Tensor *A) { return pwt_grad_enabled && pwt_requires_grad(A); }

Tensor *pwt_kernel_linalg_eigvalsh(Tensor *A, const char *UPLO) { return pwt__linalg_eigh(A, UPLO, records(A)).r[0]; }
Tensor *pwt_kernel_linalg_svdvals(Tensor *A, const char *driver) {
  (void)driver;
  return pwt__linalg_svd(A, false, records(A)).r[1];
}

bool pwt_check_svd_driver(const char *driver) {
  return !driver || pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.");
}

Tensor *pwt_kernel_linalg_eigvals(Tensor *A) { return pwt__linalg_eig(A, records(A)).r[0]; }

Tensors3 pwt_kernel_svd(Tensor *self, bool some, bool compute_uv) {
  if (self->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.svd: input should have at least 2 dimensions, but has %d dimensions instead", (int)self->ndim), (Tensors3){0};
  Tensors3 all = pwt__linalg_svd(self, compute_uv && !some, compute_uv || records(self));
  if (compute_uv) return (Tensors3){{all.r[0], all.r[1], pwt_mH(all.r[2])}};
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, self->sizes, self->ndim * 8);
  int n = self->ndim;
  sizes[n - 1] = sizes[n - 2];
  Tensor *u = pwt_new_zeros(n, sizes, (DType)self->dtype);
  sizes[n - 1] = sizes[n - 2] = self->sizes[n - 1];
  return (Tensors3){{u, all.r[1], pwt_new_zeros(n, sizes, (DType)self->dtype)}};
}
