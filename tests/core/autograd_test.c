/* The autograd engine, driven from C: gradients against closed forms, torch's errors, long graphs, nothing left behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd.h"
#include "host.h"
#include "ops.h"

static const char *current = "";

#define CHECK(condition)                                                                             \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      printf("%s: line %d: %s\n", current, __LINE__, #condition);                                    \
      if (pwt_failed()) printf("  error: %.*s\n", pwt_error_state.length, pwt_error_state.message); \
      exit(1);                                                                                       \
    }                                                                                                \
  } while (0)

/* ---- helpers ---- */
static Tensor *values(int count, const float *v) {
  int64_t n = count;
  Tensor *t = pwt_new(1, &n, PWT_FLOAT32);
  memcpy(pwt_data(t), v, (size_t)count * 4);
  return t;
}
#define VALUES(...) values(sizeof((float[]){__VA_ARGS__}) / 4, (float[]){__VA_ARGS__})
#define LEAF(...) leaf(VALUES(__VA_ARGS__))

static Tensor *leaf(Tensor *t) {
  pwt_set_requires_grad(t, true);
  return t;
}

static const Scalar one = {SCALAR_INT, 1, 1, 0};
static Tensor *number(double v) { return pwt_from_scalar(pwt_scalar_float(v)); }
static Tensor *times(Tensor *t, double v) { return pwt_mul(t, number(v)); }
static Tensor *plus(Tensor *a, Tensor *b) { return pwt_add(a, b, one); }
static Tensor *total(Tensor *t) { return pwt_sum(t, (IntList){NULL, -1}, false, PWT_NO_DTYPE); }
static Tensor *part(Tensor *t, int64_t from, int64_t to) { return pwt_slice(t, 0, (OptInt){true, from}, (OptInt){true, to}, 1); }

static bool holds(Tensor *t, int count, const float *v) {
  if (!t || t->numel != count) return false;
  Tensor *flat = pwt_raw_contiguous_as(t, PWT_FLOAT32);
  for (int i = 0; i < count; i++)
    if (__builtin_fabsf(((float *)pwt_data(flat))[i] - v[i]) > 1e-6f * (1 + __builtin_fabsf(v[i]))) {
      printf("  element %d: %g, expected %g\n", i, (double)((float *)pwt_data(flat))[i], (double)v[i]);
      return false;
    }
  return true;
}
#define HOLDS(t, ...) holds(t, sizeof((float[]){__VA_ARGS__}) / 4, (float[]){__VA_ARGS__})

static Tensor *grad_of(Tensor *t) { return t->autograd ? t->autograd->grad : NULL; }
static const TensorList nothing = {NULL, 0}, no_inputs = {NULL, -1};

static bool backward_with(Tensor *root, Tensor *gradient, bool retain, bool create) {
  return pwt_backward((TensorList){&root, 1}, (TensorList){&gradient, 1}, retain, create, no_inputs, true, true, NULL);
}
static bool backward(Tensor *root) { return backward_with(root, NULL, false, false); }

static Tensor *gradient(Tensor *root, Tensor *input, bool create) {
  Tensor *result = NULL;
  bool good = pwt_backward((TensorList){&root, 1}, nothing, create, create, (TensorList){&input, 1}, false, false, &result);
  return good ? result : NULL;
}

static bool fails_with(const char *part_of_message) {
  bool found = pwt_failed() && strstr(pwt_error_state.message, part_of_message);
  if (!found) printf("  expected an error with '%s'\n", part_of_message);
  if (found) pwt_clear_error();
  return found;
}

/* ---- the host of these tests: ids name what a hook does ---- */
enum { HOOK_DOUBLES = 1, HOOK_COUNTS, HOOK_RAISES, HOOK_RUNS_BACKWARD, FUNCTION_TRIPLES = 100 };
static int calls, releases;

int32_t pwt_host_call(int32_t kind, int32_t id) {
  if (kind == HOST_RELEASE) {
    releases++;
    return 0;
  }
  calls++;
  int64_t mark = pwt_scope_open();
  int32_t status = 0;
  if (kind == HOST_FUNCTION_BACKWARD) {
    Tensor *grad = (Tensor *)(uintptr_t)pwt_frame[2];
    Tensor *result = pwt_retain(times(grad, 3));
    pwt_release(grad);
    pwt_frame[0] = 1;
    pwt_frame[1] = (int64_t)(uintptr_t)result;
    pwt_scope_close(mark);
    return 0;
  }
  Tensor *grad = (Tensor *)(uintptr_t)pwt_frame[0];
  if (id == HOOK_RAISES) status = 1;
  if (id == HOOK_RUNS_BACKWARD) {
    bool mode = pwt_grad_enabled;
    pwt_grad_enabled = true;
    Tensor *x = LEAF(1, 2), *loss = total(pwt_mul(x, x));
    pwt_grad_enabled = mode;
    CHECK(backward(loss) && HOLDS(grad_of(x), 2, 4));
  }
  Tensor *result = id == HOOK_DOUBLES ? times(grad, 2) : grad;
  bool leaves = kind != HOST_POST_ACCUMULATE_HOOK && status == 0;
  if (leaves) pwt_frame[0] = (int64_t)(uintptr_t)pwt_retain(result);
  pwt_scope_close(mark);
  pwt_release(grad);
  return status;
}

/* ---- tests ---- */
static void test_products(void) {
  Tensor *x = LEAF(1, 2, 3), *y = LEAF(4, 5, 6);
  CHECK(backward(total(pwt_mul(x, y))));
  CHECK(HOLDS(grad_of(x), 4, 5, 6) && HOLDS(grad_of(y), 1, 2, 3));
  CHECK(backward(total(pwt_mul(x, x))));
  CHECK(HOLDS(grad_of(x), 6, 9, 12));
}

static void test_broadcasting(void) {
  Tensor *x = pwt_view(VALUES(1, 2, 3), (IntList){(int64_t[]){3, 1}, 2});
  x = leaf(pwt_alias_same(x));
  Tensor *y = LEAF(1, 10), *z = leaf(pwt_full_scalar(pwt_scalar_float(2), PWT_FLOAT32));
  CHECK(backward(total(pwt_mul(pwt_mul(x, y), z))));
  CHECK(HOLDS(grad_of(x), 22, 22, 22) && grad_of(x)->ndim == 2);
  CHECK(HOLDS(grad_of(y), 12, 12) && HOLDS(grad_of(z), 66));
}

static void test_mixed_dtypes(void) {
  Tensor *x = LEAF(1, 2), *y = leaf(pwt_raw_cast(VALUES(3, 4), PWT_FLOAT64));
  CHECK(backward(total(pwt_mul(x, y))));
  CHECK(grad_of(x)->dtype == PWT_FLOAT32 && grad_of(y)->dtype == PWT_FLOAT64);
  CHECK(HOLDS(grad_of(x), 3, 4) && HOLDS(grad_of(y), 1, 2));
}

static void test_shared_subexpressions(void) {
  Tensor *x = LEAF(1, 2), *y = pwt_mul(x, x), *z = plus(pwt_mul(y, y), plus(y, x));
  CHECK(backward(total(z))); /* 4 x^3 + 2 x + 1 */
  CHECK(HOLDS(grad_of(x), 7, 37));
}

static void test_second_derivative(void) {
  Tensor *x = LEAF(1, 2, -3);
  Tensor *first = gradient(total(pwt_mul(pwt_mul(x, x), x)), x, true);
  CHECK(HOLDS(first, 3, 12, 27) && pwt_requires_grad(first));
  Tensor *second = gradient(total(first), x, true);
  CHECK(HOLDS(second, 6, 12, -18));
  CHECK(HOLDS(gradient(total(second), x, false), 6, 6, 6));
}

static void test_saved_output(void) {
  Tensor *x = LEAF(0, 1), *y = pwt_exp(x);
  Tensor *first = gradient(total(y), x, true);
  CHECK(HOLDS(first, 1, 2.7182818f));
  CHECK(HOLDS(gradient(total(first), x, false), 1, 2.7182818f));
}

static void test_grad_of_intermediates_and_roots(void) {
  Tensor *x = LEAF(1, 2), *y = times(x, 2), *z = times(y, 3);
  CHECK(HOLDS(gradient(total(z), y, true), 3, 3));
  Tensor *roots[] = {total(z), total(y)}, *inputs[] = {x, y}, *results[2];
  CHECK(pwt_backward((TensorList){roots, 2}, nothing, true, false, (TensorList){inputs, 2}, false, false, results));
  CHECK(HOLDS(results[0], 8, 8) && HOLDS(results[1], 4, 4) && !grad_of(x));
  Tensor *s = leaf(pwt_full_scalar(pwt_scalar_float(5), PWT_FLOAT32));
  CHECK(HOLDS(gradient(s, s, false), 1));
}

static void test_unused_inputs(void) {
  Tensor *x = LEAF(1), *other = LEAF(1), *result = NULL, *root = times(x, 2);
  CHECK(!gradient(root, other, true));
  CHECK(fails_with("The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True"));
  CHECK(pwt_backward((TensorList){&root, 1}, nothing, true, false, (TensorList){&other, 1}, false, true, &result) && !result);
  CHECK(!gradient(root, VALUES(1), false) && fails_with("One of the differentiated Tensors does not require grad"));
}

static void test_accumulating_into_named_inputs(void) {
  Tensor *x = LEAF(1, 2), *y = LEAF(3, 4), *z = pwt_mul(x, y), *root = total(z);
  Tensor *inputs[] = {y, z};
  CHECK(pwt_backward((TensorList){&root, 1}, nothing, false, false, (TensorList){inputs, 2}, true, true, NULL));
  CHECK(!grad_of(x) && HOLDS(grad_of(y), 1, 2) && HOLDS(grad_of(z), 1, 1));
}

static void test_refusals(void) {
  Tensor *x = LEAF(1, 2);
  CHECK(!backward(pwt_full_scalar(one, PWT_FLOAT32)));
  CHECK(fails_with("element 0 of tensors does not require grad and does not have a grad_fn"));
  CHECK(!backward(x) && fails_with("grad can be implicitly created only for scalar outputs"));
  CHECK(!backward_with(x, VALUES(1, 2, 3), false, false));
  CHECK(fails_with("Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([2])."));
  Tensor *y = pwt_exp(x), *root = total(y);
  CHECK(backward(root) && !backward(root) && fails_with("Trying to backward through the graph a second time"));
  Tensor *sum = total(plus(x, x));
  CHECK(backward(sum) && backward(sum)); /* nothing saved, nothing missed */
}

static void test_retain_graph(void) {
  Tensor *x = LEAF(1, 2), *root = total(pwt_mul(x, x));
  CHECK(backward_with(root, NULL, true, false) && backward_with(root, NULL, true, false) && backward(root));
  CHECK(HOLDS(grad_of(x), 6, 12));
}

static void test_version_checks(void) {
  Tensor *x = LEAF(1, 2, 3), *y = plus(x, one.kind ? number(1) : NULL), *z = pwt_mul(y, y);
  pwt_add_(y, number(1), one);
  CHECK(!backward(total(z)));
  CHECK(fails_with("one of the variables needed for gradient computation has been modified by an inplace operation: "
                   "[torch.FloatTensor [3]], which is output 0 of Add, is at version 1; expected version 0 instead. Hint: enable "
                   "anomaly detection to find the operation that failed to compute its gradient, with "
                   "torch.autograd.set_detect_anomaly(True, check_nan=False)."));
  Tensor *e = pwt_exp(x);
  pwt_add_(e, number(1), one);
  CHECK(!backward(total(e)) && fails_with("which is output 0 of Exp, is at version 1; expected version 0"));
}

static void test_inplace(void) {
  Tensor *x = LEAF(1, 2), *y = times(x, 2);
  pwt_mul_(y, y);
  CHECK(!backward(total(y)) && fails_with("modified by an inplace operation"));
  y = times(x, 2);
  pwt_mul_(y, VALUES(10, 100));
  pwt_add_(y, x, one);
  CHECK(backward(total(y)) && HOLDS(grad_of(x), 21, 201));
  CHECK(!pwt_add_(x, number(1), one) && fails_with("a leaf Variable that requires grad is being used in an in-place operation."));
  CHECK(!pwt_add_(part(x, 0, 1), number(1), one));
  CHECK(fails_with("a view of a leaf Variable that requires grad is being used in an in-place operation."));
  pwt_grad_enabled = false;
  CHECK(pwt_add_(x, number(1), one) && HOLDS(x, 2, 3));
  pwt_grad_enabled = true;
}

static void test_inplace_on_views(void) {
  Tensor *x = LEAF(1, 2, 3, 4), *a = times(x, 1), *v = part(a, 1, 3), *w = part(v, 0, 1);
  pwt_mul_(w, number(5)); /* a = x0, 5 x1, x2, x3 */
  CHECK(!strcmp(pwt_grad_fn(a)->kind->name, "torch::autograd::CopySlices") && !strcmp(pwt_grad_fn(w)->kind->name, "AsStridedBackward0"));
  CHECK(w->autograd->base == a);
  pwt_mul_(v, VALUES(10, 100)); /* x0, 50 x1, 100 x2, x3 */
  CHECK(HOLDS(w, 100) && HOLDS(a, 1, 100, 300, 4));
  CHECK(backward(total(pwt_mul(a, VALUES(1, 2, 3, 4)))) && HOLDS(grad_of(x), 1, 100, 300, 4));
}

static void test_view_written_from_a_plain_base(void) {
  Tensor *base = VALUES(1, 1, 1), *v = part(base, 0, 2), *other = part(base, 1, 3), *x = LEAF(3, 4);
  pwt_mul_(v, x);
  CHECK(pwt_requires_grad(base) && pwt_requires_grad(other) && pwt_grad_fn(other));
  CHECK(backward(total(pwt_mul(other, VALUES(7, 9)))) && HOLDS(grad_of(x), 0, 7));
  CHECK(!backward(total(base)) && fails_with("Trying to backward through the graph a second time"));
}

static void test_inplace_on_transposed_view_twice_differentiable(void) {
  Tensor *x = LEAF(1, 2, 3, 4);
  Tensor *a = pwt_view(pwt_mul(x, x), (IntList){(int64_t[]){2, 2}, 2});
  a = pwt_transpose(pwt_clone(pwt_transpose(a, 0, 1), 0), 0, 1); /* the transpose of a dense base */
  Tensor *v = pwt_select(a, 0, 1);
  pwt_mul_(v, pwt_clone(pwt_select(a, 0, 0), 0)); /* row 1 = x^2 row 1 * x^2 row 0 */
  Tensor *first = gradient(total(v), x, true);
  CHECK(HOLDS(first, 18, 64, 6, 32));
  CHECK(HOLDS(gradient(total(first), x, false), 18 + 12, 32 + 32, 2 + 12, 8 + 32));
}

static void test_refused_views(void) {
  Tensor *x = LEAF(1, 2, 3), *a = plus(x, number(1));
  TensorList parts = pwt_unbind(a, 0);
  CHECK(!pwt_add_(parts.items[1], number(1), one));
  CHECK(fails_with("Output 1 of Unbind is a view and is being modified inplace. This view is the output of a function that returns "
                   "multiple views. Such functions do not allow the output views to be modified inplace. You should replace the "
                   "inplace operation by an out-of-place one."));
  pwt_add_(a, number(1), one);
  CHECK(!pwt_grad_fn(parts.items[0]) && fails_with("Output 0 of Unbind is a view and its base or another view of its base has been"));
  pwt_grad_enabled = false;
  Tensor *plain = VALUES(1, 2), *v = part(plain, 0, 1);
  pwt_grad_enabled = true;
  CHECK(pwt_add_(v, number(1), one) && HOLDS(plain, 2, 2));
  CHECK(!pwt_mul_(v, part(x, 0, 1)));
  CHECK(fails_with("A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case "
                   "is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace "
                   "either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want "
                   "the inplace to be tracked)."));
  CHECK(HOLDS(plain, 2, 2));
}

static void test_inference_mode(void) {
  pwt_inference_enabled = true;
  Tensor *made = VALUES(1, 2);
  pwt_inference_enabled = false;
  CHECK((pwt_mul(made, LEAF(1, 2)), fails_with("Inference tensors cannot be saved for backward.")));
  CHECK(!pwt_add_(made, number(1), one) && fails_with("Inplace update to inference tensor outside InferenceMode is not allowed."));
  CHECK(!pwt_set_requires_grad(made, true));
  CHECK(fails_with("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."));
}

static void test_stealing_and_layout(void) {
  Tensor *x = LEAF(1, 2), *g = VALUES(1, 1);
  CHECK(backward_with(x, g, false, false) && grad_of(x) != g && grad_of(x)->storage != g->storage);
  Tensor *kept = grad_of(x);
  CHECK(backward_with(x, g, false, false) && grad_of(x) == kept && HOLDS(kept, 2, 2));
  Tensor *t = leaf(pwt_alias_same(pwt_transpose(pwt_view(VALUES(1, 2, 3, 4, 5, 6), (IntList){(int64_t[]){2, 3}, 2}), 0, 1)));
  CHECK(backward(total(t)) && grad_of(t)->strides[0] == 1 && grad_of(t)->strides[1] == 3);
  Tensor *e = leaf(pwt_alias_same(pwt_expand(VALUES(1, 2, 3), (IntList){(int64_t[]){2, 3}, 2}, false)));
  CHECK(backward(total(times(e, 2))) && pwt_is_contiguous(grad_of(e)) && HOLDS(grad_of(e), 2, 2, 2, 2, 2, 2));
}

static void test_create_graph_accumulates_with_history(void) {
  Tensor *x = LEAF(2);
  CHECK(backward_with(pwt_mul(x, pwt_mul(x, x)), NULL, true, true) && pwt_requires_grad(grad_of(x)) && HOLDS(grad_of(x), 12));
  CHECK(HOLDS(gradient(total(grad_of(x)), x, false), 12));
  pwt_set_grad(x, NULL); /* x.grad's history holds x */
}

static void test_detach_and_flags(void) {
  Tensor *x = LEAF(1, 2), *y = pwt_mul(x, x);
  CHECK(!pwt_detach_inplace(part(y, 0, 1)) && fails_with("Can't detach views in-place. Use detach() instead."));
  Tensor *z = pwt_mul(y, y);
  CHECK(pwt_detach_inplace(y) == y && pwt_is_leaf(y) && !pwt_requires_grad(y));
  CHECK(!backward(total(z)) && fails_with("Trying to use a saved tensor that has been detached in-place"));
  CHECK(!pwt_set_requires_grad(pwt_new_range(PWT_INT64, 3), true) && fails_with("can require gradients"));
  CHECK(!pwt_set_grad(x, VALUES(1)) && fails_with("attempting to assign a gradient of size '[1]' to a tensor of size '[2]'."));
  CHECK(!pwt_set_grad(x, x) && fails_with("can't assign Variable as its own grad"));
}

static void test_retain_grad_follows_inplace(void) {
  Tensor *x = LEAF(1, 2), *y = times(x, 2);
  CHECK(pwt_retain_grad(y));
  pwt_add_(y, number(1), one);
  pwt_mul_(y, number(2));
  CHECK(backward(total(times(y, 3))) && HOLDS(grad_of(y), 3, 3) && HOLDS(grad_of(x), 12, 12));
  CHECK(!pwt_retain_grad(VALUES(1)) && fails_with("can't retain_grad on Tensor that has requires_grad=False"));
}

static void test_hooks(void) {
  int before = releases;
  Tensor *x = LEAF(1, 2), *y = times(x, 3);
  CHECK(pwt_kernel__tensor_hooks(y, 0, HOOK_DOUBLES) == HOOK_DOUBLES && pwt_kernel__tensor_hooks(y, 0, 9) == HOOK_DOUBLES);
  pwt_kernel__tensor_hooks(x, 0, HOOK_DOUBLES);
  pwt_kernel__tensor_hooks(x, 4, HOOK_COUNTS);
  calls = 0;
  CHECK(backward(total(y)) && HOLDS(grad_of(x), 12, 12) && calls == 3);
  CHECK(HOLDS(gradient(total(plus(y, y)), y, false), 4, 4)); /* captured after the hooks, as y's node itself does not run */
  Tensor *z = times(LEAF(1), 2);
  pwt_kernel__tensor_hooks(z, 0, HOOK_RAISES);
  CHECK(!backward(z) && pwt_error_state.kind == PWT_HOST_ERROR);
  pwt_clear_error();
  Tensor *r = times(LEAF(1), 2);
  pwt_kernel__tensor_hooks(r, 0, HOOK_RUNS_BACKWARD);
  CHECK(backward(r));
  CHECK(!pwt_kernel__tensor_hooks(VALUES(1), 0, 7) && fails_with("cannot register a hook on a tensor that doesn't require gradient"));
  CHECK(releases == before);
}

static Tensor *apply(Tensor *input, Tensor *output, Tensor *dirty, Tensor *saved) {
  TensorList results = pwt_kernel__function_record("TripleBackward", (TensorList){&input, 1}, (TensorList){&output, 1},
                                                   (TensorList){&dirty, dirty != NULL}, nothing, (TensorList){&saved, saved != NULL},
                                                   FUNCTION_TRIPLES, true, true);
  return results.count ? results.items[0] : NULL;
}

static Tensor *tripled(Tensor *x) {
  pwt_grad_enabled = false;
  Tensor *result = times(x, 3);
  pwt_grad_enabled = true;
  return result;
}

static void test_functions(void) {
  int before = releases;
  int64_t mark = pwt_scope_open();
  Tensor *x = LEAF(1, 2), *output = tripled(x), *y = apply(x, output, NULL, output);
  CHECK(y == output && !strcmp(pwt_grad_fn(y)->kind->name, "TripleBackward"));
  TensorList saved = pwt_kernel__node_saved((int64_t)(uintptr_t)pwt_grad_fn(y));
  CHECK(saved.count == 1 && HOLDS(saved.items[0], 3, 6) && pwt_grad_fn(saved.items[0]) == pwt_grad_fn(y));
  CHECK(backward(total(y)) && HOLDS(grad_of(x), 3, 3));
  CHECK((pwt_kernel__node_saved((int64_t)(uintptr_t)pwt_grad_fn(y)), fails_with("a second time")));
  Tensor *same = apply(x, x, NULL, NULL);
  CHECK(same != x && same->autograd->base == x && pwt_grad_fn(same));
  CHECK(!pwt_add_(same, number(1), one) && fails_with("Output 0 of Triple is a view and is being modified inplace. This view was created inside a custom Function"));
  CHECK(!apply(x, x, x, NULL) && fails_with("a leaf Variable that requires grad has been used in an in-place operation."));
  CHECK(!apply(x, output, x, NULL) && fails_with("Some elements marked as dirty during the forward method were not returned as output."));
  Tensor *a = times(x, 1);
  CHECK(apply(a, a, a, a) == a && backward(total(a)) && HOLDS(grad_of(x), 6, 6));
  Tensor *b = times(x, 1), *v = part(b, 0, 1);
  CHECK(apply(v, v, v, v) == v && backward(total(b)) && HOLDS(grad_of(x), 9, 7));
  pwt_scope_close(mark);
  CHECK(releases == before + 4);
}

static void test_delayed_error(void) {
  Tensor *x = VALUES(1, 2);
  TensorList late = pwt_kernel__delayed_error((TensorList){&x, 1}, "not twice");
  CHECK(late.count == 1 && HOLDS(late.items[0], 1, 2) && !backward(total(late.items[0])) && fails_with("not twice"));
}

static void test_wide_nodes(void) {
  enum { COUNT = 40 };
  float v[COUNT], expected[COUNT];
  for (int i = 0; i < COUNT; i++) v[i] = (float)i, expected[i] = (float)(i + 1);
  Tensor *x = leaf(values(COUNT, v));
  TensorList parts = pwt_unbind(x, 0);
  CHECK(parts.count == COUNT);
  for (int i = 0; i < COUNT; i++) parts.items[i] = times(parts.items[i], i + 1);
  CHECK(backward(total(pwt_stack(parts, 0))) && holds(grad_of(x), COUNT, expected));
}

/* A chain of this length would overflow any stack that recursion grows. */
static void test_long_chain(void) {
  Tensor *x = LEAF(1, 2), *y = x;
  for (int i = 0; i < 100000; i++) {
    int64_t mark = pwt_scope_open();
    y = pwt_scope_keep(mark, plus(y, x));
  }
  CHECK(backward(total(y)) && HOLDS(grad_of(x), 100001, 100001));
  Tensor *e = LEAF(0), *z = e;
  for (int i = 0; i < 100000; i++) {
    int64_t mark = pwt_scope_open();
    z = pwt_scope_keep(mark, pwt_sin(z));
  }
  pwt_node_retain(pwt_grad_fn(z)); /* what is saved goes with the graph even where no backward pass ran */
  pwt_node_release(pwt_grad_fn(z));
  Tensor *wide = LEAF(1), *sum = wide;
  for (int i = 0; i < 16; i++) sum = plus(sum, sum); /* 2^16 paths, 16 nodes */
  CHECK(backward(sum) && HOLDS(grad_of(wide), 65536));
}

static const struct {
  const char *name;
  void (*run)(void);
} tests[] = {
#define TEST(name) {#name, test_##name}
    TEST(products), TEST(broadcasting), TEST(mixed_dtypes), TEST(shared_subexpressions), TEST(second_derivative),
    TEST(saved_output), TEST(grad_of_intermediates_and_roots), TEST(unused_inputs), TEST(accumulating_into_named_inputs),
    TEST(refusals), TEST(retain_graph), TEST(version_checks), TEST(inplace), TEST(inplace_on_views),
    TEST(view_written_from_a_plain_base), TEST(inplace_on_transposed_view_twice_differentiable), TEST(refused_views),
    TEST(inference_mode), TEST(stealing_and_layout), TEST(create_graph_accumulates_with_history), TEST(detach_and_flags),
    TEST(retain_grad_follows_inplace), TEST(hooks), TEST(functions), TEST(delayed_error), TEST(wide_nodes), TEST(long_chain),
};

int main(int count, char **names) {
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    if (count > 1 && strcmp(names[1], tests[i].name)) continue;
    current = tests[i].name;
    pwt_clear_error();
    int64_t live = pwt_live_tensors(), mark = pwt_scope_open();
    tests[i].run();
    CHECK(!pwt_failed());
    pwt_scope_close(mark);
    CHECK(pwt_live_tensors() == live && pwt_grad_enabled && !pwt_inference_enabled);
  }
  printf("%d tests passed\n", (int)(sizeof tests / sizeof *tests));
  return 0;
}
