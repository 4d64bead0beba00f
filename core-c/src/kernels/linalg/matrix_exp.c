/* The matrix exponential in double: scaling, a Taylor polynomial of degree 16 after Paterson and Stockmeyer (1973), and
   squaring; see Higham, Functions of Matrices, chapter 10. */
#include "base/parallel.h"
#include "math.h"
#include "matmul/gemm.h"
#include "ops.h"

enum { DEGREE = 16, STEP = 4 };

typedef struct {
  bool complex;
  int64_t n;
  const double *input;
  double *output;
  int64_t gemm_bytes;
  pwt_slots slots;
} Job;

/* Complex matrices by four products of their parts, which are strided; `parts` has room for three real matrices. */
static void multiply_complex(int64_t n, const double *a, const double *b, double *c, double *parts, void *workspace) {
  double *re = parts, *other = parts + n * n, *im = parts + 2 * n * n;
  pwt_gemm_f64(n, n, n, a, 2 * n, 2, b, 2 * n, 2, re, n, false, workspace);
  pwt_gemm_f64(n, n, n, a + 1, 2 * n, 2, b + 1, 2 * n, 2, other, n, false, workspace);
  pwt_gemm_f64(n, n, n, a, 2 * n, 2, b + 1, 2 * n, 2, im, n, false, workspace);
  pwt_gemm_f64(n, n, n, a + 1, 2 * n, 2, b, 2 * n, 2, im, n, true, workspace);
  for (int64_t i = 0; i < n * n; i++) c[2 * i] = re[i] - other[i], c[2 * i + 1] = im[i];
}

static void multiply(const Job *job, const double *a, const double *b, double *c, char *workspace) {
  int64_t n = job->n;
  if (job->complex) multiply_complex(n, a, b, c, (double *)(workspace + job->gemm_bytes), workspace);
  else pwt_gemm_f64(n, n, n, a, n, 1, b, n, 1, c, n, false, workspace);
}

/* The largest sum of sizes in a row */
static double norm_of(const double *a, int64_t n, int64_t row) {
  double most = 0;
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < row; j++) sum += __builtin_fabs(a[i * row + j]);
    if (!(sum <= most)) most = sum;
  }
  return most;
}

static void exponential(const Job *job, const double *a, double *result, char *slot) {
  int64_t n = job->n, row = n * (job->complex ? 2 : 1), count = n * row, matrix = (count * 8 + 63) & ~(int64_t)63;
  double *powers[STEP + 1], *other = (double *)(slot + STEP * matrix), *sum = result, norm = norm_of(a, n, row);
  char *workspace = slot + (STEP + 1) * matrix;
  if (!(norm < __builtin_inf())) {
    for (int64_t i = 0; i < count; i++) result[i] = __builtin_nan("");
    return;
  }
  int squarings = 0;
  double scale = 1;
  for (; norm * scale > 0.75; scale /= 2) squarings++;
  for (int p = 1; p <= STEP; p++) powers[p] = (double *)(slot + (p - 1) * matrix);
  for (int64_t i = 0; i < count; i++) powers[1][i] = a[i] * scale;
  for (int p = 2; p <= STEP; p++) multiply(job, powers[p - 1], powers[1], powers[p], workspace);
  double factor[DEGREE + 1] = {1};
  for (int k = 1; k <= DEGREE; k++) factor[k] = factor[k - 1] / k;
  for (int64_t i = 0; i < count; i++) sum[i] = factor[DEGREE] * powers[STEP][i];
  for (int block = DEGREE - STEP;; block -= STEP) {
    for (int64_t i = 0; i < count; i++) sum[i] += factor[block + 1] * powers[1][i] + factor[block + 2] * powers[2][i] + factor[block + 3] * powers[3][i];
    for (int64_t i = 0; i < n; i++) sum[i * (row + row / n)] += factor[block];
    if (block == 0) break;
    multiply(job, sum, powers[STEP], other, workspace);
    double *kept = sum;
    sum = other, other = kept;
  }
  for (; squarings > 0; squarings--) {
    multiply(job, sum, sum, other, workspace);
    double *kept = sum;
    sum = other, other = kept;
  }
  if (sum != result) pwt_copy_bytes(result, sum, count * 8);
}

static void run(void *context, int64_t begin, int64_t end) {
  Job *job = context;
  int64_t count = job->n * job->n * (job->complex ? 2 : 1);
  char *slot = pwt_slot_take(&job->slots);
  for (int64_t k = begin; k < end; k++) exponential(job, job->input + k * count, job->output + k * count, slot);
  pwt_slot_give(&job->slots, slot);
}

Tensor *pwt_kernel_linalg_matrix_exp(Tensor *self) {
  if (self->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.matrix_exp: The input tensor A must have at least 2 dimensions.");
  int64_t n = self->sizes[self->ndim - 1], batch = pwt_product(self->sizes, self->ndim - 2);
  if (self->sizes[self->ndim - 2] != n)
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.matrix_exp: A must be batches of square matrices, but they are %i by %i matrices", self->sizes[self->ndim - 2], n);
  if (!pwt_is_differentiable((DType)self->dtype)) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.matrix_exp: Expected a floating point or complex tensor as input. Got %t", self->dtype);
  Job job = {.complex = pwt_is_complex((DType)self->dtype), .n = n};
  DType precise = job.complex ? PWT_COMPLEX128 : PWT_FLOAT64;
  int64_t matrix = (n * n * (job.complex ? 16 : 8) + 63) & ~(int64_t)63, slot;
  job.gemm_bytes = (pwt_gemm_workspace_f64(n, n, n) + 63) & ~(int64_t)63;
  slot = (STEP + 1) * matrix + job.gemm_bytes + (job.complex ? 3 * n * n * 8 : 0) + 64;
  int64_t bytes = batch > 1 ? pwt_slots_bytes(slot) : slot + 64;
  Tensor *input = pwt_raw_contiguous_as(self, precise), *result = pwt_new(self->ndim, self->sizes, precise);
  if (pwt_on_meta) return pwt_raw_cast(result, (DType)self->dtype);
  void *workspace = pwt_scratch(bytes);
  if (pwt_failed() || !result->numel) return pwt_raw_cast(result, (DType)self->dtype);
  job.input = pwt_data(input), job.output = pwt_data(result);
  job.slots = pwt_slots_over(workspace, bytes, slot);
  if (batch == 1) run(&job, 0, 1);
  else pwt_parallel_for(batch, pwt_grain(1 << 14, n * n * PWT_MAX(n, 8)), run, &job);
  return pwt_raw_cast(result, (DType)self->dtype);
}
