/* Products that other products make: inner, Kronecker, cross, chains, contractions and powers. */
#include "ops.h"
#include "loops.h"

static const Scalar one = {SCALAR_INT, 1, 1, 0};
static IntList single(const int64_t *dim) { return (IntList){dim, 1}; }

static void append(int64_t *sizes, int *count, const Tensor *t, int from, int to) {
  for (int i = from; i < to; i++) sizes[(*count)++] = t->sizes[i];
}

static bool fits_dims(int count, const char *name) {
  if (count <= PWT_MAX_DIMS) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "%s(): a tensor may have at most %d dimensions, got %d", name, PWT_MAX_DIMS, count);
  return false;
}

Tensor *pwt_kernel_inner(Tensor *self, Tensor *other) {
  int m = self->ndim, n = other->ndim, count = 0;
  int64_t sizes[2 * PWT_MAX_DIMS];
  if (m == 0 || n == 0) return pwt_mul(self, other);
  if (self->dtype != other->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "both inputs should have same dtype");
  if (self->sizes[m - 1] != other->sizes[n - 1])
    return pwt_fail(PWT_RUNTIME_ERROR, "inner() the last dimension must match on both input tensors but got shapes %z and %z", self->sizes, m, other->sizes, n);
  if (m == 1 && n == 1) return pwt_dot(self, other);
  append(sizes, &count, self, 0, m - 1);
  append(sizes, &count, other, 0, n - 1);
  if (!fits_dims(count, "inner")) return NULL;
  int64_t depth = self->sizes[m - 1], rows = pwt_product(other->sizes, n - 1);
  return pwt_reshape(pwt__linear(self, pwt_reshape(other, (IntList){(int64_t[]){rows, depth}, 2}), NULL), (IntList){sizes, count});
}

/* Both as matrices: what stays by what is contracted. */
Tensor *pwt_kernel_tensordot(Tensor *self, Tensor *other, IntList dims_self, IntList dims_other) {
  int64_t left[2 * PWT_MAX_DIMS], right[2 * PWT_MAX_DIMS], sizes[2 * PWT_MAX_DIMS], rows = 1, columns = 1, depth = 1;
  uint32_t a = 0, b = 0;
  int count = 0, n = 0;
  if (dims_self.count != dims_other.count) return pwt_fail(PWT_RUNTIME_ERROR, "both dimension lists should have same length");
  if (self->dtype != other->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "both inputs should have same dtype");
  if (dims_self.count && (!pwt_dim_mask(dims_self, self->ndim, false, &a) || !pwt_dim_mask(dims_other, other->ndim, false, &b))) return NULL;
  for (int i = 0; i < dims_self.count; i++) {
    int from = pwt_wrap_dim(dims_self.items[i], self->ndim), to = pwt_wrap_dim(dims_other.items[i], other->ndim);
    if (self->sizes[from] == other->sizes[to]) continue;
    if (self->sizes[from] != 1 && other->sizes[to] != 1)
      return pwt_fail(PWT_RUNTIME_ERROR, "contracted dimensions need to match, but first has size %i in dim %i and second has size %i in dim %i", self->sizes[from], dims_self.items[i],
                      other->sizes[to], dims_other.items[i]);
    int64_t dim = self->sizes[from] == 1 ? to : from; /* 1 against n: the sum over n comes first */
    if (dim == to && self->sizes[from] == 1) other = pwt_sum(other, single(&dim), true, (DType)other->dtype);
    else self = pwt_sum(self, single(&dim), true, (DType)self->dtype);
    if (!self || !other) return NULL;
  }
  for (int i = 0; i < self->ndim; i++)
    if (!(a >> i & 1)) left[n++] = i, sizes[count++] = self->sizes[i], rows *= self->sizes[i];
  for (int i = 0; i < dims_self.count; i++) left[n++] = pwt_wrap_dim(dims_self.items[i], self->ndim);
  n = 0;
  for (int i = 0; i < dims_other.count; i++) right[n++] = pwt_wrap_dim(dims_other.items[i], other->ndim), depth *= other->sizes[right[i]];
  for (int i = 0; i < other->ndim; i++)
    if (!(b >> i & 1)) right[n++] = i, sizes[count++] = other->sizes[i], columns *= other->sizes[i];
  if (!fits_dims(count, "tensordot")) return NULL;
  Tensor *x = pwt_reshape(pwt_permute(self, (IntList){left, self->ndim}), (IntList){(int64_t[]){rows, depth}, 2});
  Tensor *y = pwt_reshape(pwt_permute(other, (IntList){right, other->ndim}), (IntList){(int64_t[]){depth, columns}, 2});
  return pwt_reshape(pwt_mm(x, y), (IntList){sizes, count});
}

Tensor *pwt_kernel_kron(Tensor *self, Tensor *other) {
  int n = PWT_MAX(self->ndim, other->ndim);
  int64_t a[2 * PWT_MAX_DIMS], b[2 * PWT_MAX_DIMS], sizes[PWT_MAX_DIMS];
  if (!fits_dims(2 * n, "kron")) return NULL;
  for (int i = 0; i < n; i++) {
    int i_a = i - (n - self->ndim), i_b = i - (n - other->ndim);
    a[2 * i] = i_a < 0 ? 1 : self->sizes[i_a], a[2 * i + 1] = 1;
    b[2 * i] = 1, b[2 * i + 1] = i_b < 0 ? 1 : other->sizes[i_b];
    sizes[i] = a[2 * i] * b[2 * i + 1];
  }
  return pwt_reshape(pwt_mul(pwt_reshape(self, (IntList){a, 2 * n}), pwt_reshape(other, (IntList){b, 2 * n})), (IntList){sizes, n});
}

Tensor *pwt_kernel__cross(Tensor *self, Tensor *other, int64_t dim) {
  if (self->ndim != other->ndim) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.cross: inputs must have the same number of dimensions.");
  int d = pwt_wrap_dim(dim, self->ndim), ndim = self->ndim;
  if (d < 0) return NULL;
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, self->sizes, ndim * 8);
  if (ndim == 0 || self->sizes[d] != 3 || other->sizes[d] != 3)
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.cross: inputs dimension %i must have length 3. Got %i and %i", dim, ndim ? self->sizes[d] : 1, ndim ? other->sizes[d] : 1);
  if (!pwt_broadcast_sizes(&ndim, sizes, other)) return NULL;
  if (self->dtype != other->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "expected scalar type %t but found %t", self->dtype, other->dtype);
  if (!pwt_refuse_bool(self, "cross")) return NULL;
  int64_t at = d, next = -1, after = -2;
  Tensor *ahead = pwt_mul(pwt_roll(self, single(&next), single(&at)), pwt_roll(other, single(&after), single(&at)));
  Tensor *behind = pwt_mul(pwt_roll(self, single(&after), single(&at)), pwt_roll(other, single(&next), single(&at)));
  return pwt_sub(ahead, behind, one);
}

Tensor *pwt_kernel_cross(Tensor *self, Tensor *other, OptInt dim) {
  int64_t first = 0;
  if (dim.given) return pwt__cross(self, other, dim.value);
  while (first < self->ndim && self->sizes[first] != 3) first++;
  if (first == self->ndim) return pwt_fail(PWT_RUNTIME_ERROR, "no dimension of size 3 in input");
  return pwt__cross(self, other, first);
}

/* y[.., o] = sum of x1[.., i] weight[o, i, j] x2[.., j] */
Tensor *pwt_kernel_bilinear(Tensor *input1, Tensor *input2, Tensor *weight, Tensor *bias) {
  int n = input1->ndim;
  if (weight->ndim != 3) return pwt_fail(PWT_RUNTIME_ERROR, "bilinear(): weight must have 3 dimensions, got %d", (int)weight->ndim);
  if (n != input2->ndim || n == 0) return pwt_fail(PWT_RUNTIME_ERROR, "bilinear(): input dimensions do not match: got %d and %d", n, (int)input2->ndim);
  for (int i = 0; i < n - 1; i++)
    if (input1->sizes[i] != input2->sizes[i])
      return pwt_fail(PWT_RUNTIME_ERROR, "bilinear(): input batch dimensions do not match at dim %d: got %i and %i", i, input1->sizes[i], input2->sizes[i]);
  for (int k = 0; k < 2; k++) {
    int64_t got = (k ? input2 : input1)->sizes[n - 1];
    if (got != weight->sizes[1 + k]) return pwt_fail(PWT_RUNTIME_ERROR, "bilinear(): input%d size does not match weight size: got %i but expected %i", k + 1, got, weight->sizes[1 + k]);
  }
  int64_t outputs = weight->sizes[0], rows = pwt_product(input1->sizes, n - 1), sizes[PWT_MAX_DIMS];
  if (bias && (bias->ndim != 1 || bias->numel != outputs))
    return pwt_fail(PWT_RUNTIME_ERROR, "bilinear(): bias size does not match weight size: got %i but expected %i", bias->ndim ? bias->sizes[0] : 1, outputs);
  Tensor *x1 = pwt_reshape(input1, (IntList){(int64_t[]){rows, weight->sizes[1]}, 2}), *x2 = pwt_reshape(input2, (IntList){(int64_t[]){rows, weight->sizes[2], 1}, 3});
  Tensor *half = pwt_transpose(pwt_matmul(x1, weight), 0, 1); /* [rows, outputs, j] */
  pwt_copy_bytes(sizes, input1->sizes, (n - 1) * 8);
  sizes[n - 1] = outputs;
  Tensor *result = pwt_reshape(pwt_matmul(half, x2), (IntList){sizes, n});
  if (result && result->dtype != input1->dtype) result = pwt__to_dtype(result, (DType)input1->dtype); /* after autocast, as in torch */
  return bias ? pwt_add(result, bias, one) : result;
}

/* ---- chains ---- */
typedef struct {
  Tensor **items;
  const int64_t *sizes; /* item i is sizes[i] × sizes[i + 1] */
  const int64_t *split; /* where the best order cuts the chain from i to j: split[i * count + j] */
  int64_t count;
} Chain;

static Tensor *multiply_chain(const Chain *c, int64_t i, int64_t j) {
  if (i == j) return c->items[i];
  int64_t k = c->split[i * c->count + j];
  return pwt_mm(multiply_chain(c, i, k), multiply_chain(c, k + 1, j));
}

/* The order with the fewest multiplications (Godbole, 1973). */
static Tensor *best_chain(Tensor **items, int64_t n) {
  int64_t *sizes = pwt_scratch((n + 1) * 8), *split = pwt_scratch(n * n * 8);
  double *cost = pwt_scratch(n * n * 8);
  if (!sizes || !split || !cost) return NULL;
  for (int64_t i = 0; i < n; i++) sizes[i] = items[i]->sizes[0], sizes[i + 1] = items[i]->sizes[1], cost[i * n + i] = 0;
  for (int64_t length = 1; length < n; length++)
    for (int64_t i = 0; i + length < n; i++) {
      int64_t j = i + length;
      cost[i * n + j] = __builtin_inf();
      for (int64_t k = i; k < j; k++) {
        double total = cost[i * n + k] + cost[(k + 1) * n + j] + (double)sizes[i] * (double)sizes[k + 1] * (double)sizes[j + 1];
        if (total < cost[i * n + j]) cost[i * n + j] = total, split[i * n + j] = k;
      }
    }
  return multiply_chain(&(Chain){items, sizes, split, n}, 0, n - 1);
}

Tensor *pwt_kernel_chain_matmul(TensorList matrices) {
  if (matrices.count == 0) return pwt_fail(PWT_RUNTIME_ERROR, "chain_matmul(): Expected one or more matrices");
  for (int64_t i = 0; i < matrices.count; i++)
    if (matrices.items[i]->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "Tensor dimension is %d, expected 2 instead.", (int)matrices.items[i]->ndim);
  return matrices.count == 1 ? pwt_clone(matrices.items[0], -1) : pwt_multi_dot(matrices);
}

Tensor *pwt_kernel_multi_dot(TensorList tensors) {
  int64_t n = tensors.count;
  if (n < 2) return pwt_fail(PWT_RUNTIME_ERROR, "multi_dot(): expected at least 2 tensors but got %i", n);
  TensorList matrices = pwt_list_new(n);
  if (!matrices.items) return NULL;
  Tensor *first = tensors.items[0], *last = tensors.items[n - 1];
  for (int64_t i = 0; i < n; i++) {
    Tensor *t = matrices.items[i] = tensors.items[i];
    bool end = i == 0 || i == n - 1;
    if (end && t->ndim != 1 && t->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "multi_dot(): the %s tensor must be 1D or 2D but got %dD", i ? "last" : "first", (int)t->ndim);
    if (!end && t->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "multi_dot(): tensor %i must be 2D but got %dD", i, (int)t->ndim);
    if (t->dtype != first->dtype)
      return pwt_fail(PWT_RUNTIME_ERROR, "multi_dot(): all tensors must have be the same dtype but tensor 0 is %s and tensor %i %s", pwt_c_type_name((DType)first->dtype), i,
                      pwt_c_type_name((DType)t->dtype));
  }
  if (first->ndim == 1) matrices.items[0] = pwt_unsqueeze(first, 0);
  if (last->ndim == 1) matrices.items[n - 1] = pwt_unsqueeze(last, -1);
  for (int64_t i = 0; i + 1 < n; i++) {
    Tensor *a = matrices.items[i], *b = matrices.items[i + 1];
    if (!a || !b) return NULL;
    if (a->sizes[1] != b->sizes[0])
      return pwt_fail(PWT_RUNTIME_ERROR, "multi_dot(): tensors %i and %i with shapes %z and %z cannot be multiplied", i, i + 1, tensors.items[i]->sizes, (int)tensors.items[i]->ndim,
                      tensors.items[i + 1]->sizes, (int)tensors.items[i + 1]->ndim);
  }
  Tensor *result = best_chain(matrices.items, n);
  if (!result || (first->ndim == 2 && last->ndim == 2)) return result;
  int64_t sizes[] = {first->ndim == 2 ? result->sizes[0] : result->sizes[1]};
  return pwt_view(result, (IntList){sizes, (first->ndim == 2) + (last->ndim == 2)});
}

/* By repeated squaring. */
Tensor *pwt_kernel_matrix_power(Tensor *self, int64_t n) {
  if (self->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.matrix_power: The input tensor A must have at least 2 dimensions.");
  int64_t rows = self->sizes[self->ndim - 2], columns = self->sizes[self->ndim - 1];
  if (rows != columns) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.matrix_power: A must be batches of square matrices, but they are %i by %i matrices", rows, columns);
  if (n < 0) {
    self = pwt_linalg_inv(self);
    n = n == INT64_MIN ? INT64_MAX : -n;
    if (!self || n == 1) return self;
  }
  if (n == 0) return pwt_add(pwt_fill(self, pwt_scalar_int(0)), pwt__eye(rows, rows, (DType)self->dtype), one); /* constant, but of self's history */
  if (n == 1) return pwt_clone(self, -1);
  Tensor *result = NULL;
  for (Tensor *square = self; n && !pwt_failed(); n >>= 1) {
    if (n & 1) result = result ? pwt_matmul(result, square) : square;
    if (n > 1) square = pwt_matmul(square, square);
  }
  return result;
}
