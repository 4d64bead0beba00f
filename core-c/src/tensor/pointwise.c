/* Pointwise operators: promotion, result layout, choice of the loop by compute type. */
#include "iterator.h"

/* An operator without a float32 loop computes that in double. */
static ComputeType loop_type(const Pointwise *op, DType common) {
  if (op->promotion == PROMOTE_BOOL) return CT_BOOL;
  ComputeType type = pwt_compute_type[common];
  return type == CT_F32 && !op->loops[CT_F32] ? CT_F64 : type;
}

static ComputeType input_compute(const Pointwise *op, DType common, int i) {
  if (op->promotion == PROMOTE_BOOL || (op->promotion == PROMOTE_WHERE && i == 0)) return CT_BOOL;
  return loop_type(op, common);
}

static DType output_dtype(const Pointwise *op, DType common) {
  switch (op->promotion) {
    case PROMOTE_COMPARE:
    case PROMOTE_BOOL: return PWT_BOOL;
    case PROMOTE_ABS: return pwt_real_dtype(common);
    default: return common;
  }
}

static ComputeType output_compute(const Pointwise *op, DType common) {
  if (op->promotion == PROMOTE_COMPARE || op->promotion == PROMOTE_BOOL) return CT_BOOL;
  return op->promotion == PROMOTE_ABS ? (ComputeType)pwt_compute_type[pwt_real_dtype(common)] : loop_type(op, common);
}

/* Numbers among themselves stay numbers, in double: what is computed of them loses nothing before it meets a tensor. */
static bool numbers_only(const Pointwise *op, Tensor *const *inputs) {
  for (int i = 0; i < op->inputs; i++)
    if (!(inputs[i]->flags & TENSOR_NUMBER)) return false;
  return op->promotion == PROMOTE_COMMON || op->promotion == PROMOTE_FLOAT;
}

static bool parameters_fit(const Pointwise *op, DType common, const Scalar *parameters) {
  for (int i = 0; i < op->scalars; i++)
    if (parameters[i].kind == SCALAR_COMPLEX && !pwt_is_complex(common)) {
      pwt_fail(PWT_RUNTIME_ERROR, "value cannot be converted to type %s without overflow", common == PWT_FLOAT64 ? "double" : "float");
      return false;
    }
  return true;
}

static DType common_dtype(const Pointwise *op, Tensor *const *inputs, const void *parameters) {
  if (op->promotion == PROMOTE_BOOL) return PWT_BOOL;
  int first = op->promotion == PROMOTE_WHERE;
  DType common = pwt_result_type(inputs + first, op->inputs - first);
  if (op->promotion == PROMOTE_FLOAT && (common == PWT_BOOL || pwt_is_integral(common))) common = pwt_default_dtype;
  if (!(op->dtypes >> common & 1)) {
    pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s\" not implemented for '%t'", op->name, common);
    return PWT_NO_DTYPE;
  }
  if (op->scalars && !parameters_fit(op, common, parameters)) return PWT_NO_DTYPE;
  if (inputs[0]->flags & TENSOR_NUMBER && pwt_is_differentiable(common) && numbers_only(op, inputs))
    return pwt_is_complex(common) ? PWT_COMPLEX128 : PWT_FLOAT64;
  return common;
}

static bool result_sizes(const Pointwise *op, Tensor *const *inputs, int *ndim, int64_t *sizes) {
  *ndim = inputs[0]->ndim;
  pwt_copy_bytes(sizes, inputs[0]->sizes, *ndim * 8);
  for (int i = 1; i < op->inputs; i++)
    if (inputs[i]->ndim && !pwt_broadcast_sizes(ndim, sizes, inputs[i])) return false;
  return true;
}

/* Beside sixteen-bit floats torch takes the 0-d operand of these in float32, that of all others rounded to sixteen bits. */
static int wide_operand(const Pointwise *op, Tensor *const *inputs) {
  static const char *const names[] = {"div", "mul", "floor_divide", "div_trunc_wide"};
  for (int i = 0; i < 4; i++)
    if (pwt_same_text(op->name, names[i])) return inputs[1]->ndim == 0 ? 1 : i < 2 && inputs[0]->flags & TENSOR_NUMBER ? 0 : -1;
  return op->inputs == 3 && inputs[2]->flags & TENSOR_NUMBER && pwt_same_text(op->name, "lerp") ? 2 : -1;
}

static Tensor *run(const Pointwise *op, Tensor *const *inputs, const void *parameters, Tensor *out, DType common) {
  Operands o = {.count = op->inputs + 1, .outputs = 1};
  o.tensors[0] = out;
  o.compute[0] = output_compute(op, common);
  int wide = (common == PWT_FLOAT16 || common == PWT_BFLOAT16) && op->inputs > 1 ? wide_operand(op, inputs) : -1;
  for (int i = 0; i < op->inputs; i++) {
    o.tensors[i + 1] = inputs[i];
    o.compute[i + 1] = input_compute(op, common, i);
    o.common[i + 1] = o.compute[i + 1] == CT_BOOL ? PWT_BOOL : i == wide ? PWT_FLOAT32 : common;
  }
  Loop loop = op->loops[loop_type(op, common)];
  return pwt_run_loop(&o, loop, parameters) ? out : NULL;
}

/* The first input of the result's sizes decides its layout, as in torch. */
static const Tensor *layout_source(const Pointwise *op, Tensor *const *inputs, int ndim, const int64_t *sizes) {
  for (int i = 0; i < op->inputs; i++) {
    const Tensor *t = inputs[i];
    if (t->ndim != ndim) continue;
    bool full = true;
    for (int d = 0; d < ndim && full; d++) full = t->sizes[d] == sizes[d];
    if (full) return t;
  }
  return NULL;
}

Tensor *pwt_pointwise(const Pointwise *op, Tensor *const *inputs, const void *parameters) {
  int ndim;
  int64_t sizes[PWT_MAX_DIMS];
  DType common = common_dtype(op, inputs, parameters);
  if (common == PWT_NO_DTYPE || !result_sizes(op, inputs, &ndim, sizes)) return NULL;
  const Tensor *source = layout_source(op, inputs, ndim, sizes);
  DType dtype = output_dtype(op, common);
  bool number = inputs[0]->flags & TENSOR_NUMBER && numbers_only(op, inputs);
  Tensor *out = number ? pwt_new_in_memory(ndim, sizes, dtype) : source ? pwt_new_like(source, dtype) : pwt_new(ndim, sizes, dtype);
  if (out && number && pwt_is_differentiable(dtype)) out->flags |= TENSOR_NUMBER;
  return out ? run(op, inputs, parameters, out, common) : NULL;
}

Tensor *pwt_pointwise_into(const Pointwise *op, Tensor *const *inputs, const void *parameters, Tensor *out, bool resize) {
  int ndim;
  int64_t sizes[PWT_MAX_DIMS];
  if (!out) return NULL;
  DType common = common_dtype(op, inputs, parameters);
  if (common == PWT_NO_DTYPE || !result_sizes(op, inputs, &ndim, sizes)) return NULL;
  if (op->promotion == PROMOTE_ABS && out == inputs[0] && output_dtype(op, common) != common)
    return pwt_fail(PWT_RUNTIME_ERROR, "In-place %s is not supported for complex tensors.", op->name);
  DType dtype = output_dtype(op, common);
  if (op->promotion == PROMOTE_COMPARE && op->inputs == 1 && out->dtype != PWT_BOOL)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.%s does not support non-boolean outputs.", op->name);
  if (!pwt_can_cast(dtype, out->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "result type %t can't be cast to the desired output type %t", dtype, out->dtype);
  bool same = out->ndim == ndim;
  for (int d = 0; d < ndim && same; d++) same = out->sizes[d] == sizes[d];
  if (!same && !resize)
    return pwt_fail(PWT_RUNTIME_ERROR, "output with shape %z doesn't match the broadcast shape %z", out->sizes, (int)out->ndim,
                    sizes, ndim);
  /* torch looks at what was given as out=, and only then resizes it */
  for (int i = 0; i < op->inputs && !same; i++)
    if (!pwt_check_partial_overlap(out, inputs[i])) return NULL;
  if (!same && !pwt_resize(out, ndim, sizes)) return NULL;
  for (int i = 0; i < op->inputs; i++)
    if (!pwt_check_partial_overlap(out, inputs[i])) return NULL;
  /* the result takes its own dtype's range and precision before it takes out's */
  Tensor *result = out->dtype == dtype || pwt_stored_as_computed(dtype, output_compute(op, common)) ? out : pwt_new(ndim, sizes, dtype);
  if (!result || !run(op, inputs, parameters, result, common)) return NULL;
  if (result != out) pwt_raw_copy(out, result);
  pwt_bump_version(out);
  return out;
}
