/* Regions of interest on plain, contiguous buffers: `count` regions, each a row of batch index, x1, y1, x2, y2, pooled into pooled[0] × pooled[1]
   bins of images [N, planes, height, width].

   Aligned pooling averages bilinear samples of a bin (He et al., "Mask R-CNN", 2017); the other one takes whole elements (Girshick, "Fast R-CNN",
   2015). Position-sensitive pooling reads another plane for each bin (Dai et al., "R-FCN", 2016). */
#pragma once

#include "base.h"

typedef struct {
  int64_t count, channels, planes, size[2], pooled[2]; /* channels of the output, planes of an image; height before width */
  int64_t sampling;                                    /* samples per bin and axis; 0 or less: one for each element that the bin covers */
  double scale;
  bool aligned, sensitive;
  const void *from, *rois;
  void *to; /* zeros at first */
  int32_t *indices; /* of the maximum in its plane, -1 without one */
} pwt_regions;

/* Of NaN and values beyond an int32: the nearest of those, 0 for NaN. */
static inline int64_t pwt_whole(double x) { return x != x ? 0 : (int64_t)(x < -2147483648.0 ? -2147483648.0 : x > 2147483647.0 ? 2147483647.0 : x); }

#define PWT_REGIONS_DECLARE(name)                                                                                     \
  void pwt_align_##name(pwt_regions *r);                                                                              \
  void pwt_align_grad_##name(pwt_regions *r); /* `from` is the output's gradient, `to` the images' */                \
  void pwt_region_max_##name(pwt_regions *r);                                                                         \
  void pwt_region_max_grad_##name(pwt_regions *r);                                                                    \
  void pwt_region_mean_##name(pwt_regions *r);                                                                        \
  void pwt_region_mean_grad_##name(pwt_regions *r);                                                                   \
  int64_t pwt_region_images_##name(const void *rois, int64_t count, int64_t images); /* the first region of no image, or -1 */

PWT_REGIONS_DECLARE(f32)
PWT_REGIONS_DECLARE(f64)
