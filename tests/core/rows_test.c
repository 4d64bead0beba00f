/* Ordering, searching, scanning and random operators on rows of awkward lengths, dtypes and layouts: the sanitizers watch
   their buffers, and nothing may stay behind, whether a call worked or was refused. */
#include <stdio.h>

#include "autograd.h"
#include "ops.h"

static const OptInt UNSET = {false, 0};

/* What one call made, or the error it recorded, goes with it. */
#define TRY(CALL)                    \
  do {                               \
    int64_t mark = pwt_scope_open(); \
    (void)(CALL);                    \
    pwt_clear_error();               \
    pwt_scope_close(mark);           \
  } while (0)

static Tensor *flat(Tensor *x) { return pwt_reshape(x, (IntList){(const int64_t[]){-1}, 1}); }

static void orders(Tensor *x, int64_t dim, int64_t n) {
  TRY(pwt_sort(x, dim, false, UNSET));
  TRY(pwt_sort(x, 1 - dim, true, UNSET));
  TRY(pwt_argsort(x, dim, true, false));
  for (int64_t k = -1; k <= n + 1; k += k < 20 ? 1 : 97) TRY(pwt_topk(x, k, dim, k % 2, true));
  TRY(pwt_kthvalue(x, (n + 1) / 2, dim, false));
  TRY(pwt_median_dim(x, dim, false));
  TRY(pwt_nanmedian_dim(x, dim, true));
  TRY(pwt_nanmedian(x));
  TRY(pwt_mode(x, dim, false));
}

static void searches(Tensor *x, int64_t dim) {
  TRY(pwt__unique2(x, true, true, true));
  TRY(pwt__unique_consecutive(x, true, true));
  TRY(pwt__unique_dim(x, dim, false, true, true));
  TRY(pwt__unique_dim(x, 1 - dim, true, true, true));
  TRY(pwt_isin(x, x, false, true));
  TRY(pwt_searchsorted(pwt_sort(x, -1, false, UNSET).r[0], x, false, false, NULL, NULL));
  TRY(pwt_searchsorted(x, x, true, true, "right", pwt_argsort(x, -1, false, true)));
  TRY(pwt_bucketize(x, flat(x), false, true));
  TRY(pwt_histc(x, 7, pwt_scalar_int(0), pwt_scalar_int(50)));
  TRY(pwt_bincount(flat(x), flat(x), 5));
  TRY(pwt__histogram(x, pwt__linspace(pwt_scalar_int(0), pwt_scalar_int(50), 8, PWT_FLOAT64), NULL, true));
}

static void scans(Tensor *x, int64_t dim) {
  TRY(pwt_cumsum(x, dim, PWT_NO_DTYPE));
  TRY(pwt__cumsum_reversed(x, dim));
  TRY(pwt_cumprod(x, dim, PWT_NO_DTYPE));
  TRY(pwt_cummax(x, dim));
  TRY(pwt_logcumsumexp(x, dim));
  if (!pwt_is_floating((DType)x->dtype)) return;
  TRY(pwt_cumprod_backward(x, x, dim, x));
  TRY(pwt_logcumsumexp_backward(x, x, dim, x));
}

static void fills(Tensor *x) {
  TRY(pwt_uniform_(pwt_clone(x, -1), 0, 1, NULL));
  TRY(pwt_normal_fill_(pwt_clone(x, -1), 0, 1, NULL));
  TRY(pwt_random_to_(pwt_clone(x, -1), 2, NULL));
  TRY(pwt_exponential_(pwt_clone(x, -1), 1, NULL));
  TRY(pwt_geometric_(pwt_clone(x, -1), 0.5, NULL));
  TRY(pwt_cauchy_(pwt_clone(x, -1), 0, 1, NULL));
  TRY(pwt_log_normal_(pwt_clone(x, -1), 0, 1, NULL));
  TRY(pwt_bernoulli_fill_(pwt_clone(x, -1), 0.3, NULL));
  TRY(pwt_bernoulli_tensor_(pwt_clone(x, -1), pwt__rand((IntList){x->sizes + 1, 1}, PWT_FLOAT32, NULL), NULL));
}

static void samples(Tensor *x) {
  Tensor *generator = pwt__generator_new();
  TRY(pwt_normal_tensor_tensor(x, pwt_abs(x), generator));
  TRY(pwt_poisson(x, generator));
  TRY(pwt_binomial(x, pwt_div(x, pwt_from_scalar(pwt_scalar_int(100))), generator));
  TRY(pwt__sample_dirichlet(x, generator));
  TRY(pwt__standard_gamma_grad(x, pwt__standard_gamma(x, generator)));
  TRY(pwt_multinomial(x, 5, false, generator));
  TRY(pwt_multinomial(x, 5, true, generator));
  TRY(pwt_dropout(x, 0.3, true));
  TRY(pwt_feature_alpha_dropout(x, 0.3, true));
  TRY(pwt__randperm(x->numel, (DType)x->dtype, generator));
  TRY(pwt__generator_set_state(generator, pwt__generator_get_state(NULL)));
  TRY(pwt__rand((IntList){x->sizes, x->ndim}, PWT_FLOAT64, x)); /* x is no generator */
}

int main(void) {
  static const DType dtypes[] = {PWT_BOOL, PWT_UINT8, PWT_INT16, PWT_INT64, PWT_FLOAT16, PWT_FLOAT32, PWT_FLOAT64};
  static const int64_t lengths[] = {0, 1, 2, 3, 13, 16, 17, 127, 129, 257, 1000};
  for (unsigned d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
      for (int64_t dim = 0; dim < 2; dim++) {
        int64_t mark = pwt_scope_open(), sizes[] = {3, lengths[i]};
        Tensor *x = pwt__to_dtype(pwt__randint(0, 100, (IntList){sizes, 2}, PWT_INT64, NULL), dtypes[d]);
        if (dim == 0) x = pwt_transpose(x, 0, 1);
        orders(x, dim, lengths[i]);
        searches(x, dim);
        scans(x, dim);
        fills(x);
        samples(x);
        pwt_scope_close(mark);
      }
  int64_t left = pwt_live_tensors();
  if (left) printf("%d tensors left\n", (int)left);
  return left != 0;
}
