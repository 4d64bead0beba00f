/* roi_align, roi_pool and their position-sensitive kinds, as torchvision has them. */
#include "regions.h"

#include "ops.h"

typedef enum { ALIGN, POOL, SENSITIVE_ALIGN, SENSITIVE_POOL } Kind;

static const char *const names[] = {"roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool"};

static bool check_rois(Tensor *first, Tensor *rois, Kind kind, const char *what, const char *pass) {
  bool sensitive = kind >= SENSITIVE_ALIGN;
  if (rois->ndim != 2 || rois->sizes[1] != 5) pwt_fail(PWT_RUNTIME_ERROR, "%s", sensitive ? "Tensor rois should have shape as Tensor[K, 5]" : "rois must have shape as Tensor[K, 5]");
  else if (first->dtype != rois->dtype) pwt_fail(PWT_RUNTIME_ERROR, "%s should have the same type as rois", what);
  else if (first->dtype != PWT_FLOAT16 && first->dtype != PWT_FLOAT32 && first->dtype != PWT_FLOAT64)
    pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s_%s_kernel\" not implemented for '%t'", names[kind], pass, first->dtype);
  else if (first->ndim != 4) pwt_fail(PWT_RUNTIME_ERROR, "%s: %s should have 4 dimensions, got %d", names[kind], what, (int)first->ndim);
  return !pwt_failed();
}

static DType computed(Tensor *t) { return t->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32; }

static bool check_images(Tensor *rois, int64_t images, Kind kind) {
  if (pwt_on_meta) return true;
  int64_t bad = (rois->dtype == PWT_FLOAT64 ? pwt_region_images_f64 : pwt_region_images_f32)(pwt_data(rois), rois->sizes[0], images);
  if (bad >= 0) pwt_fail(PWT_RUNTIME_ERROR, "%s: region %i is of no image in a batch of %i", names[kind], bad, images);
  return bad < 0;
}

static pwt_regions regions_of(Kind kind, double scale, int64_t height, int64_t width, int64_t sampling, bool aligned) {
  bool sensitive = kind >= SENSITIVE_ALIGN;
  return (pwt_regions){.pooled = {height, width}, .sampling = sampling, .scale = scale, .aligned = aligned || kind == SENSITIVE_ALIGN, .sensitive = sensitive};
}

static void (*const forward[][2])(pwt_regions *) = {
    {pwt_align_f32, pwt_align_f64}, {pwt_region_max_f32, pwt_region_max_f64}, {pwt_align_f32, pwt_align_f64}, {pwt_region_mean_f32, pwt_region_mean_f64}};
static void (*const backward[][2])(pwt_regions *) = {
    {pwt_align_grad_f32, pwt_align_grad_f64}, {pwt_region_max_grad_f32, pwt_region_max_grad_f64}, {pwt_align_grad_f32, pwt_align_grad_f64}, {pwt_region_mean_grad_f32, pwt_region_mean_grad_f64}};

/* Of a region's bin and channel, the plane that it reads. */
static void fill_mapping(int32_t *to, const pwt_regions *r) {
  int64_t size = r->channels * r->pooled[0] * r->pooled[1];
  for (int64_t i = 0; i < r->count * size; i++) to[i] = (int32_t)(i % size);
}

static Tensors2 pooled(Kind kind, Tensor *input, Tensor *rois, pwt_regions r) {
  Tensors2 none = {{NULL, NULL}};
  if (!check_rois(input, rois, kind, "input", "forward")) return none;
  int64_t sizes[] = {rois->sizes[0], input->sizes[1], r.pooled[0], r.pooled[1]};
  if (r.pooled[0] < 0 || r.pooled[1] < 0) return pwt_fail(PWT_RUNTIME_ERROR, "Trying to create tensor with negative dimension %i: %z", PWT_MIN(r.pooled[0], r.pooled[1]), sizes, 4), none;
  int64_t bins;
  if (!pwt_multiply(r.pooled[0], r.pooled[1], &bins)) return pwt_fail(PWT_RUNTIME_ERROR, "%s: too many bins", names[kind]), none;
  if (r.sensitive && (!bins || sizes[1] % bins)) return pwt_fail(PWT_RUNTIME_ERROR, "input channels must be a multiple of pooling height * pooling width"), none;
  if (r.sensitive) sizes[1] /= bins;
  DType dtype = computed(input);
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *places = pwt_raw_contiguous_as(rois, dtype), *y = pwt_new_zeros(4, sizes, dtype);
  Tensor *indices = kind == ALIGN ? y : pwt_new_zeros(4, sizes, PWT_INT32);
  if (!x || !places || !y || !indices || !check_images(places, input->sizes[0], kind)) return none;
  r.count = sizes[0], r.channels = sizes[1], r.planes = input->sizes[1], r.size[0] = input->sizes[2], r.size[1] = input->sizes[3];
  r.from = pwt_data(x), r.rois = pwt_data(places), r.to = pwt_data(y), r.indices = pwt_data(indices);
  if (y->numel && !pwt_on_meta) {
    if (r.sensitive) fill_mapping(r.indices, &r);
    forward[kind][dtype == PWT_FLOAT64](&r);
  }
  return (Tensors2){{pwt_raw_cast(y, (DType)input->dtype), indices}};
}

static Tensor *spread(Kind kind, Tensor *grad, Tensor *rois, Tensor *indices, pwt_regions r, int64_t batch, int64_t planes, int64_t height, int64_t width) {
  if (!check_rois(grad, rois, kind, "grad", "backward")) return NULL;
  int64_t bins = r.pooled[0] * r.pooled[1], sizes[] = {batch, planes, height, width}, expected[] = {rois->sizes[0], r.sensitive && bins ? planes / bins : planes, r.pooled[0], r.pooled[1]};
  for (int d = 0; d < 4; d++)
    if (grad->sizes[d] != expected[d]) return pwt_fail(PWT_RUNTIME_ERROR, "%s: grad should have sizes %z, got %z", names[kind], expected, 4, grad->sizes, 4);
  if (indices && !pwt_same_sizes(indices, grad)) return pwt_fail(PWT_RUNTIME_ERROR, "%s: indices should have grad's sizes %z, got %z", names[kind], expected, 4, indices->sizes, (int)indices->ndim);
  DType dtype = computed(grad);
  Tensor *g = pwt_raw_contiguous_as(grad, dtype), *places = pwt_raw_contiguous_as(rois, dtype), *x = pwt_new_zeros(4, sizes, dtype);
  Tensor *at = indices ? pwt_raw_contiguous_as(indices, PWT_INT32) : g;
  if (!g || !places || !x || !at || !check_images(places, batch, kind)) return NULL;
  r.count = expected[0], r.channels = expected[1], r.planes = planes, r.size[0] = height, r.size[1] = width;
  r.from = pwt_data(g), r.rois = pwt_data(places), r.to = pwt_data(x), r.indices = pwt_data(at);
  if (pwt_on_meta) return pwt_raw_cast(x, (DType)grad->dtype);
  for (int64_t i = 0; r.sensitive && i < g->numel; i++)
    if (r.indices[i] != i % (expected[1] * bins)) return pwt_fail(PWT_RUNTIME_ERROR, "%s: channel_mapping is not the one of the forward pass", names[kind]);
  if (x->numel && g->numel) backward[kind][dtype == PWT_FLOAT64](&r);
  return pwt_raw_cast(x, (DType)grad->dtype);
}

Tensor *pwt_kernel_roi_align(Tensor *input, Tensor *rois, double scale, int64_t height, int64_t width, int64_t sampling, bool aligned) {
  return pooled(ALIGN, input, rois, regions_of(ALIGN, scale, height, width, sampling, aligned)).r[0];
}

Tensor *pwt_kernel__roi_align_backward(Tensor *grad, Tensor *rois, double scale, int64_t pooled_height, int64_t pooled_width, int64_t batch, int64_t channels, int64_t height, int64_t width,
                                       int64_t sampling, bool aligned) {
  return spread(ALIGN, grad, rois, NULL, regions_of(ALIGN, scale, pooled_height, pooled_width, sampling, aligned), batch, channels, height, width);
}

Tensors2 pwt_kernel_roi_pool(Tensor *input, Tensor *rois, double scale, int64_t height, int64_t width) {
  return pooled(POOL, input, rois, regions_of(POOL, scale, height, width, 0, false));
}

Tensor *pwt_kernel__roi_pool_backward(Tensor *grad, Tensor *rois, Tensor *argmax, double scale, int64_t pooled_height, int64_t pooled_width, int64_t batch, int64_t channels, int64_t height,
                                      int64_t width) {
  return spread(POOL, grad, rois, argmax, regions_of(POOL, scale, pooled_height, pooled_width, 0, false), batch, channels, height, width);
}

Tensors2 pwt_kernel_ps_roi_align(Tensor *input, Tensor *rois, double scale, int64_t height, int64_t width, int64_t sampling) {
  return pooled(SENSITIVE_ALIGN, input, rois, regions_of(SENSITIVE_ALIGN, scale, height, width, sampling, true));
}

Tensor *pwt_kernel__ps_roi_align_backward(Tensor *grad, Tensor *rois, Tensor *mapping, double scale, int64_t pooled_height, int64_t pooled_width, int64_t sampling, int64_t batch,
                                          int64_t channels, int64_t height, int64_t width) {
  return spread(SENSITIVE_ALIGN, grad, rois, mapping, regions_of(SENSITIVE_ALIGN, scale, pooled_height, pooled_width, sampling, true), batch, channels, height, width);
}

Tensors2 pwt_kernel_ps_roi_pool(Tensor *input, Tensor *rois, double scale, int64_t height, int64_t width) {
  return pooled(SENSITIVE_POOL, input, rois, regions_of(SENSITIVE_POOL, scale, height, width, 0, false));
}

Tensor *pwt_kernel__ps_roi_pool_backward(Tensor *grad, Tensor *rois, Tensor *mapping, double scale, int64_t pooled_height, int64_t pooled_width, int64_t batch, int64_t channels,
                                         int64_t height, int64_t width) {
  return spread(SENSITIVE_POOL, grad, rois, mapping, regions_of(SENSITIVE_POOL, scale, pooled_height, pooled_width, 0, false), batch, channels, height, width);
}
