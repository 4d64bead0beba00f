/* Convolution at displaced places (Dai et al., "Deformable convolutional networks", 2017; with a mask: Zhu et al., 2019). What a window reads
   becomes a column; the weights are a matrix product. */
#include "base/parallel.h"
#include "ops.h"

enum { BLOCK = 64 };

typedef struct {
  const void *input, *offset, *mask, *grad; /* mask: NULL where none is used */
  void *columns, *to_input, *to_offset, *to_mask;
  int64_t channels, size[2], out[2], kernel[2], stride[2], padding[2], dilation[2], groups;
} Job;

static int64_t taps_of(const Job *j) { return j->kernel[0] * j->kernel[1]; }

static int64_t places_of(const Job *j) { return j->out[0] * j->out[1]; }

#define DEFORM(S, T)                                                                                                  \
  typedef struct { /* four elements around a place; at: -1 outside */                                                 \
    int64_t at[4];                                                                                                    \
    T part[2], weight[4], mask;                                                                                       \
  } Corners_##S;                                                                                                      \
                                                                                                                      \
  static Corners_##S corners_##S(const Job *j, int64_t image, int64_t group, int64_t k, int64_t l) {                  \
    int64_t places = places_of(j), window = image * j->groups + group, low[2];                                        \
    const T *offset = (const T *)j->offset + (window * taps_of(j) + k) * 2 * places + l;                              \
    int64_t begin[] = {l / j->out[1] * j->stride[0] - j->padding[0] + k / j->kernel[1] * j->dilation[0],              \
                       l % j->out[1] * j->stride[1] - j->padding[1] + k % j->kernel[1] * j->dilation[1]};             \
    Corners_##S c = {.mask = j->mask ? ((const T *)j->mask)[(window * taps_of(j) + k) * places + l] : 1};             \
    bool inside = true;                                                                                               \
    for (int d = 0; d < 2; d++) {                                                                                     \
      T at = (T)begin[d] + offset[d * places];                                                                        \
      inside = inside && at >= -1 && at <= (T)j->size[d];                                                             \
      T floor = inside ? (T)__builtin_floor((double)at) : 0;                                                          \
      low[d] = (int64_t)floor, c.part[d] = at - floor;                                                                \
      inside = inside && at < (T)j->size[d];                                                                          \
    }                                                                                                                 \
    T down = c.part[0], across = c.part[1];                                                                           \
    T weight[] = {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across};                \
    for (int i = 0; i < 4; i++) {                                                                                     \
      int64_t y = low[0] + (i >> 1), x = low[1] + (i & 1);                                                            \
      c.at[i] = inside && y >= 0 && y < j->size[0] && x >= 0 && x < j->size[1] ? y * j->size[1] + x : -1;             \
      c.weight[i] = c.at[i] < 0 ? 0 : weight[i];                                                                      \
    }                                                                                                                 \
    return c;                                                                                                         \
  }                                                                                                                   \
                                                                                                                      \
  /* items: images × groups × taps */                                                                                 \
  static void columns_##S(void *context, int64_t begin, int64_t end) {                                                \
    const Job *j = context;                                                                                           \
    int64_t places = places_of(j), taps = taps_of(j), each = j->channels / j->groups, plane = j->size[0] * j->size[1]; \
    Corners_##S corners[BLOCK];                                                                                       \
    for (int64_t item = begin; item < end; item++) {                                                                  \
      int64_t k = item % taps, window = item / taps, image = window / j->groups, group = window % j->groups;          \
      for (int64_t first = 0; first < places; first += BLOCK) {                                                       \
        int64_t count = PWT_MIN(BLOCK, places - first);                                                               \
        for (int64_t i = 0; i < count; i++) corners[i] = corners_##S(j, image, group, k, first + i);                  \
        for (int64_t c = 0; c < each; c++) {                                                                          \
          const T *x = (const T *)j->input + (window * each + c) * plane;                                             \
          T *y = (T *)j->columns + ((window * each + c) * taps + k) * places + first;                                 \
          for (int64_t i = 0; i < count; i++) {                                                                       \
            T total = 0;                                                                                              \
            for (int n = 0; n < 4; n++)                                                                               \
              if (corners[i].at[n] >= 0) total += corners[i].weight[n] * x[corners[i].at[n]];                         \
            y[i] = corners[i].mask * total;                                                                           \
          }                                                                                                           \
        }                                                                                                             \
      }                                                                                                               \
    }                                                                                                                 \
  }                                                                                                                   \
                                                                                                                      \
  /* items: images × groups, which share nothing that is written */                                                   \
  static void gradients_##S(void *context, int64_t begin, int64_t end) {                                              \
    const Job *j = context;                                                                                           \
    int64_t places = places_of(j), taps = taps_of(j), each = j->channels / j->groups, plane = j->size[0] * j->size[1]; \
    for (int64_t window = begin; window < end; window++)                                                              \
      for (int64_t k = 0; k < taps; k++)                                                                              \
        for (int64_t l = 0; l < places; l++) {                                                                        \
          Corners_##S c = corners_##S(j, window / j->groups, window % j->groups, k, l);                               \
          T by[3] = {0}; /* of the place's two coordinates and of the mask */                                         \
          for (int64_t channel = window * each; channel < (window + 1) * each; channel++) {                           \
            T grad = ((const T *)j->grad)[(channel * taps + k) * places + l], near[4], value = 0;                     \
            for (int i = 0; i < 4; i++) {                                                                             \
              near[i] = c.at[i] < 0 ? 0 : ((const T *)j->input)[channel * plane + c.at[i]];                           \
              value += c.weight[i] * near[i];                                                                         \
              if (c.at[i] >= 0 && j->to_input) ((T *)j->to_input)[channel * plane + c.at[i]] += grad * c.mask * c.weight[i]; \
            }                                                                                                         \
            by[0] += grad * c.mask * ((1 - c.part[1]) * (near[2] - near[0]) + c.part[1] * (near[3] - near[1]));       \
            by[1] += grad * c.mask * ((1 - c.part[0]) * (near[1] - near[0]) + c.part[0] * (near[3] - near[2]));       \
            by[2] += grad * value;                                                                                    \
          }                                                                                                           \
          int64_t at = (window * taps + k) * places + l;                                                              \
          for (int d = 0; d < 2 && j->to_offset; d++) ((T *)j->to_offset)[(window * taps + k) * 2 * places + d * places + l] = by[d]; \
          if (j->to_mask) ((T *)j->to_mask)[at] = by[2];                                                              \
        }                                                                                                             \
  }
DEFORM(f32, float)
DEFORM(f64, double)

static Job job_of(Tensor *input, Tensor *offset, IntList kernel, IntList stride, IntList padding, IntList dilation, int64_t groups) {
  Job j = {.channels = input->sizes[1], .groups = groups};
  for (int d = 0; d < 2; d++) {
    j.size[d] = input->sizes[2 + d], j.out[d] = offset->sizes[2 + d], j.kernel[d] = kernel.items[d];
    j.stride[d] = stride.items[d], j.padding[d] = padding.items[d], j.dilation[d] = dilation.items[d];
  }
  return j;
}

static DType computed(Tensor *t) { return t->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32; }

Tensor *pwt_kernel__deform_columns(Tensor *input, Tensor *offset, Tensor *mask, IntList kernel, IntList stride, IntList padding, IntList dilation, int64_t groups) {
  DType dtype = computed(input);
  Job j = job_of(input, offset, kernel, stride, padding, dilation, groups);
  int64_t sizes[] = {input->sizes[0], j.channels * taps_of(&j), places_of(&j)};
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *places = pwt_raw_contiguous_as(offset, dtype), *shares = mask ? pwt_raw_contiguous_as(mask, dtype) : NULL;
  Tensor *result = pwt_new(3, sizes, dtype);
  if (!x || !places || !result || (mask && !shares)) return NULL;
  j.input = pwt_data(x), j.offset = pwt_data(places), j.mask = shares ? pwt_data(shares) : NULL, j.columns = pwt_data(result);
  int64_t work = sizes[2] * (16 + j.channels / groups * 4);
  if (result->numel) pwt_parallel_for(sizes[0] * groups * taps_of(&j), pwt_grain(16384, work), dtype == PWT_FLOAT32 ? columns_f32 : columns_f64, &j);
  return pwt_raw_cast(result, (DType)input->dtype);
}

Tensors3 pwt_kernel__deform_columns_backward(Tensor *grad, Tensor *input, Tensor *offset, Tensor *mask, IntList kernel, IntList stride, IntList padding, IntList dilation, int64_t groups,
                                             int64_t wanted) {
  Tensors3 none = {{NULL, NULL, NULL}};
  DType dtype = computed(input);
  Job j = job_of(input, offset, kernel, stride, padding, dilation, groups);
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *places = pwt_raw_contiguous_as(offset, dtype), *shares = mask ? pwt_raw_contiguous_as(mask, dtype) : NULL;
  Tensor *g = pwt_raw_contiguous_as(grad, dtype), *to_input = pwt_new_zeros(4, input->sizes, dtype), *to_offset = pwt_new_zeros(4, offset->sizes, dtype);
  Tensor *to_mask = mask ? pwt_new_zeros(4, mask->sizes, dtype) : NULL;
  if (!x || !places || !g || !to_input || !to_offset || (mask && (!shares || !to_mask))) return none;
  j.input = pwt_data(x), j.offset = pwt_data(places), j.mask = shares ? pwt_data(shares) : NULL, j.grad = pwt_data(g);
  j.to_input = wanted & 1 ? pwt_data(to_input) : NULL, j.to_offset = wanted & 2 ? pwt_data(to_offset) : NULL, j.to_mask = mask && wanted & 4 ? pwt_data(to_mask) : NULL;
  if (g->numel) pwt_parallel_for(input->sizes[0] * groups, 1, dtype == PWT_FLOAT32 ? gradients_f32 : gradients_f64, &j);
  return (Tensors3){{pwt_raw_cast(to_input, (DType)input->dtype), pwt_raw_cast(to_offset, (DType)offset->dtype), to_mask ? pwt_raw_cast(to_mask, (DType)mask->dtype) : NULL}};
}

static bool check_extent(Tensor *t, const char *name, int64_t expected, const int64_t *out) {
  if (t->sizes[1] != expected) pwt_fail(PWT_RUNTIME_ERROR, "%s.shape[1] is not valid: got: %i expected: %i", name, t->sizes[1], expected);
  else if (t->sizes[2] != out[0] || t->sizes[3] != out[1])
    pwt_fail(PWT_RUNTIME_ERROR, "%s output dims: (%i, %i) - computed output dims: (%i, %i)", name, t->sizes[2], t->sizes[3], out[0], out[1]);
  return !pwt_failed();
}

static bool check(Tensor *input, Tensor *weight, Tensor *offset, Tensor *mask, Tensor *bias, IntList stride, IntList padding, IntList dilation, int64_t groups, int64_t offset_groups, bool masked) {
  const char *names[] = {"input", "weight", "offset", "mask"};
  Tensor *all[] = {input, weight, offset, mask};
  for (int i = 0; i < 3 + masked; i++)
    if (all[i]->ndim != 4) return pwt_fail(PWT_RUNTIME_ERROR, "deform_conv2d: %s should have 4 dimensions, got %d", names[i], (int)all[i]->ndim), false;
  for (int i = 1; i < 3 + masked; i++)
    if (all[i]->dtype != input->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "deform_conv2d: %s should have the same type as input", names[i]), false;
  if (input->dtype != PWT_FLOAT16 && input->dtype != PWT_FLOAT32 && input->dtype != PWT_FLOAT64)
    return pwt_fail(PWT_NOT_IMPLEMENTED, "\"deform_conv2d\" not implemented for '%t'", input->dtype), false;
  int64_t out[2], taps = weight->sizes[2] * weight->sizes[3];
  for (int d = 0; d < 2; d++) {
    if (weight->sizes[2 + d] <= 0 || stride.items[d] <= 0 || padding.items[d] < 0 || dilation.items[d] <= 0)
      return pwt_fail(PWT_RUNTIME_ERROR, "deform_conv2d: kernel size, stride and dilation should be greater than 0 and padding not negative; kernel %l, stride %l, padding %l, dilation %l",
                      weight->sizes + 2, 2, stride.items, 2, padding.items, 2, dilation.items, 2), false;
    out[d] = (input->sizes[2 + d] + 2 * padding.items[d] - dilation.items[d] * (weight->sizes[2 + d] - 1) - 1) / stride.items[d] + 1;
  }
  if (groups <= 0 || offset_groups <= 0 || weight->sizes[0] % groups || weight->sizes[1] * groups != input->sizes[1] || input->sizes[1] % offset_groups)
    pwt_fail(PWT_RUNTIME_ERROR, "deform_conv2d: input %z, weight %z, %i groups and %i offset groups do not fit together", input->sizes, 4, weight->sizes, 4, groups, offset_groups);
  else if (offset->sizes[0] != input->sizes[0]) pwt_fail(PWT_RUNTIME_ERROR, "invalid batch size of offset");
  else if (masked && mask->sizes[0] != input->sizes[0]) pwt_fail(PWT_RUNTIME_ERROR, "invalid batch size of mask");
  else if (bias->numel && (bias->ndim != 1 || bias->sizes[0] != weight->sizes[0]))
    pwt_fail(PWT_RUNTIME_ERROR, "deform_conv2d: bias should have sizes [%i], got %z", weight->sizes[0], bias->sizes, (int)bias->ndim);
  else if (out[0] <= 0 || out[1] <= 0) pwt_fail(PWT_RUNTIME_ERROR, "Calculated output size too small - out_h: %i out_w: %i", out[0], out[1]);
  else if (check_extent(offset, "offset", offset_groups * 2 * taps, out) && masked) check_extent(mask, "mask", offset_groups * taps, out);
  return !pwt_failed();
}

static Tensor *shaped(Tensor *t, int64_t a, int64_t b, int64_t c, int64_t d) { return t ? pwt_reshape(t, (IntList){(int64_t[]){a, b, c, d}, 4}) : NULL; }

#define PAIRS                                                                                                         \
  IntList stride = {(int64_t[]){stride_h, stride_w}, 2}, padding = {(int64_t[]){pad_h, pad_w}, 2}, dilation = {(int64_t[]){dilation_h, dilation_w}, 2}, kernel = {weight->sizes + 2, 2}

Tensor *pwt_kernel_deform_conv2d(Tensor *input, Tensor *weight, Tensor *offset, Tensor *mask, Tensor *bias, int64_t stride_h, int64_t stride_w, int64_t pad_h, int64_t pad_w,
                                 int64_t dilation_h, int64_t dilation_w, int64_t groups, int64_t offset_groups, bool use_mask) {
  if (weight->ndim != 4) return pwt_fail(PWT_RUNTIME_ERROR, "deform_conv2d: weight should have 4 dimensions, got %d", (int)weight->ndim);
  PAIRS;
  if (!check(input, weight, offset, mask, bias, stride, padding, dilation, groups, offset_groups, use_mask)) return NULL;
  int64_t batch = input->sizes[0], outputs = weight->sizes[0], rows = weight->sizes[1] * kernel.items[0] * kernel.items[1], places = offset->sizes[2] * offset->sizes[3];
  Tensor *columns = pwt__deform_columns(input, offset, use_mask ? mask : NULL, kernel, stride, padding, dilation, offset_groups);
  Tensor *product = pwt_matmul(shaped(weight, 1, groups, outputs / groups, rows), shaped(columns, batch, groups, rows, places));
  Tensor *result = shaped(product, batch, outputs, offset->sizes[2], offset->sizes[3]);
  return bias->numel ? pwt_add(result, shaped(bias, 1, outputs, 1, 1), pwt_scalar_int(1)) : result;
}

Tensors5 pwt_kernel__deform_conv2d_backward(Tensor *grad, Tensor *input, Tensor *weight, Tensor *offset, Tensor *mask, Tensor *bias, int64_t stride_h, int64_t stride_w, int64_t pad_h,
                                            int64_t pad_w, int64_t dilation_h, int64_t dilation_w, int64_t groups, int64_t offset_groups, bool use_mask) {
  Tensors5 none = {{NULL, NULL, NULL, NULL, NULL}};
  if (weight->ndim != 4) return pwt_fail(PWT_RUNTIME_ERROR, "deform_conv2d: weight should have 4 dimensions, got %d", (int)weight->ndim), none;
  PAIRS;
  if (!check(input, weight, offset, mask, bias, stride, padding, dilation, groups, offset_groups, use_mask)) return none;
  int64_t batch = input->sizes[0], outputs = weight->sizes[0], rows = weight->sizes[1] * kernel.items[0] * kernel.items[1], places = offset->sizes[2] * offset->sizes[3];
  int64_t expected[] = {batch, outputs, offset->sizes[2], offset->sizes[3]};
  for (int d = 0; d < 4; d++)
    if (grad->ndim != 4 || grad->sizes[d] != expected[d]) return pwt_fail(PWT_RUNTIME_ERROR, "deform_conv2d: grad should have sizes %z, got %z", expected, 4, grad->sizes, (int)grad->ndim), none;
  Tensor *shares = use_mask ? mask : NULL, *columns = pwt__deform_columns(input, offset, shares, kernel, stride, padding, dilation, offset_groups);
  Tensor *out = shaped(grad, batch, groups, outputs / groups, places), *by_groups = shaped(weight, 1, groups, outputs / groups, rows);
  if (!columns || !out || !by_groups) return none;
  Tensor *to_columns = pwt_matmul(pwt_transpose(by_groups, 2, 3), out);
  Tensor *to_weight = pwt_sum(pwt_matmul(out, pwt_transpose(shaped(columns, batch, groups, rows, places), 2, 3)), (IntList){(int64_t[]){0}, 1}, false, PWT_NO_DTYPE);
  Tensor *to_bias = bias->numel ? pwt_sum(grad, (IntList){(int64_t[]){0, 2, 3}, 3}, false, PWT_NO_DTYPE) : pwt_zeros_like(bias);
  Tensor *flat = to_columns ? pwt_reshape(to_columns, pwt_sizes_of(columns)) : NULL;
  Tensors3 rest = flat ? pwt__deform_columns_backward(flat, input, offset, shares, kernel, stride, padding, dilation, offset_groups, 7) : (Tensors3){{NULL, NULL, NULL}};
  Tensors5 found = {{rest.r[0], to_weight ? pwt_reshape(to_weight, pwt_sizes_of(weight)) : NULL, rest.r[1], use_mask ? rest.r[2] : pwt_zeros_like(mask), to_bias}};
  for (int i = 0; i < 5; i++)
    if (!found.r[i]) return none;
  return found;
}
