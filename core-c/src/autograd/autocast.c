/* Autocast: converts the inputs of operators that a table marks. Casts of parameters are cached until the outermost region
   ends, so that a weight that is used often is converted once. */
#include "autograd.h"
#include "ops.h"

enum { ENTRIES = 1024 }; /* beyond it casts are made anew */

typedef struct {
  Tensor *source, *cast; /* both owned */
  uint32_t version;
} Kept;

PWT_PER_THREAD int pwt_autocast_type = PWT_AUTOCAST_OFF;
static PWT_PER_THREAD bool keeps_casts = true;
static PWT_PER_THREAD Kept *kept;
static PWT_PER_THREAD int kept_count;

static uint32_t version_of(const Tensor *t) { return t->flags & TENSOR_UNTRACKED ? t->own_version : t->storage->version; }

static Tensor *cast_of_weight(Tensor *t, DType type) {
  for (int i = 0; i < kept_count; i++) {
    if (kept[i].source != t || (DType)kept[i].cast->dtype != type) continue;
    if (kept[i].version == version_of(t)) return kept[i].cast;
    Tensor *cast = pwt__to_dtype(t, type);
    if (!cast) return NULL;
    pwt_release(kept[i].cast);
    kept[i].cast = pwt_retain(cast);
    kept[i].version = version_of(t);
    return cast;
  }
  Tensor *cast = pwt__to_dtype(t, type);
  if (!kept) kept = pwt_alloc_zeroed(ENTRIES * (int64_t)sizeof *kept);
  if (cast && kept && kept_count < ENTRIES) kept[kept_count++] = (Kept){pwt_retain(t), pwt_retain(cast), version_of(t)};
  return cast;
}

static Tensor *cast_to(Tensor *t, DType type) {
  if (!t || !pwt_is_floating((DType)t->dtype) || t->dtype == PWT_FLOAT64 || (DType)t->dtype == type) return t;
  bool weight = keeps_casts && pwt_grad_enabled && t->dtype == PWT_FLOAT32 && pwt_requires_grad(t) && pwt_is_leaf(t);
  return weight ? cast_of_weight(t, type) : pwt__to_dtype(t, type);
}

Tensor *pwt_autocast(Tensor *t, Autocast how) { return t && pwt_is_meta(t) ? t : cast_to(t, how == AUTOCAST_LOWER ? (DType)pwt_autocast_type : PWT_FLOAT32); }

TensorList pwt_autocast_list(TensorList list, Autocast how) {
  DType type = how == AUTOCAST_FLOAT32 ? PWT_FLOAT32 : (DType)pwt_autocast_type;
  bool any = false;
  for (int64_t i = 0; i < list.count; i++) {
    Tensor *t = list.items[i];
    if (!t || pwt_is_meta(t) || !pwt_is_floating((DType)t->dtype) || t->dtype == PWT_FLOAT64) continue;
    any = true;
    if (how == AUTOCAST_WIDEST && t->dtype == PWT_FLOAT32) type = PWT_FLOAT32;
  }
  if (!any) return list;
  TensorList cast = pwt_list_new(list.count);
  for (int64_t i = 0; cast.items && i < list.count; i++) cast.items[i] = cast_to(list.items[i], type);
  return cast;
}

bool pwt_kernel__set_autocast(bool enabled, DType dtype, bool cache) {
  pwt_autocast_type = enabled ? (int)dtype : PWT_AUTOCAST_OFF;
  keeps_casts = cache;
  return true;
}

bool pwt_kernel__clear_autocast_cache(void) {
  while (kept_count > 0) {
    Kept last = kept[--kept_count];
    pwt_release(last.source);
    pwt_release(last.cast);
  }
  pwt_free(kept);
  kept = NULL;
  return true;
}
