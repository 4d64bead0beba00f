/* Errors, memory, dtypes and scalars. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What each thread of the program has for itself: its error, its modes, its scopes, its frame. The core runs on one of them at a time. */
#define PWT_PER_THREAD _Thread_local

/* ---- errors ----
   The first failure of a call is recorded; functions that fail return NULL (or false), and functions
   that are given NULL return NULL, so checks stand once, at the end of a call. */
typedef enum {
  PWT_RUNTIME_ERROR = 1,
  PWT_VALUE_ERROR = 2,
  PWT_TYPE_ERROR = 3,
  PWT_INDEX_ERROR = 4,
  PWT_NOT_IMPLEMENTED = 5,
  PWT_MEMORY_ERROR = 6,
  PWT_HOST_ERROR = 7, /* a callback into the host raised; the host holds the exception */
  PWT_LINALG_ERROR = 9, /* torch.linalg.LinAlgError: a singular matrix, or no convergence */
} ErrorKind;

typedef struct {
  int32_t kind; /* 0: no error */
  int32_t length;
  char message[1536];
} ErrorState;

extern PWT_PER_THREAD ErrorState pwt_error_state;

/* Directives: %s string, %i int64_t, %d int, %g double, %z sizes as [2, 3] and %l as 2, 3 (const int64_t *, int count),
   %t dtype as torch names it in messages (Float, Long, ...), %% */
void *pwt_fail(ErrorKind kind, const char *format, ...);
int64_t pwt_format(char *buffer, int64_t capacity, const char *format, ...);
static inline bool pwt_failed(void) { return pwt_error_state.kind != 0; }
void pwt_clear_error(void);

/* ---- the meta device ----
   While an operator works for meta tensors, what it allocates has no memory, and loops do nothing. Set where arguments are read and
   where the engine runs a node; whoever touches elements otherwise than by a loop asks the tensor (pwt_is_meta). */
extern PWT_PER_THREAD bool pwt_on_meta;

/* ---- memory ---- */
void *pwt_alloc(int64_t bytes); /* 64-byte aligned; NULL and a recorded MemoryError when there is none */
/* What the core keeps for itself (stacks, pools): not counted, and given back by pwt_free_uncounted only. */
void *pwt_alloc_uncounted(int64_t bytes);
void pwt_free_uncounted(void *block);
void *pwt_alloc_zeroed(int64_t bytes);
void pwt_free(void *block);
/* Memory that the core may move between calls: whoever reads it finds it by `*owner`, which stays where it is, and keeps no
   pointer into it beyond a call. Freed by pwt_free. False and MemoryError when there is none. */
bool pwt_alloc_movable(int64_t bytes, void **owner);
void pwt_stay(void *block, bool may_go); /* somebody outside gets a pointer into it: it is moved no more, but once now if it may go */
bool pwt_move_together(void); /* makes room for what was last refused; only where no operator is at work */
extern bool pwt_alone; /* the call that runs is the only one, and no thread got an address by its last one: memory may be moved */
bool pwt_nobody_has_an_address(void);
void pwt_note_address(bool given); /* that this thread's call gives an address; that its next call begins */
extern PWT_PER_THREAD bool pwt_has_address;
extern bool *const pwt_room_is_scarce; /* for what stays, */
void pwt_make_room(void);              /* of which this makes more, where memory may be moved */
extern void (*pwt_give_up_spares)(void); /* frees what is kept for later use; NULL: there is nothing */
/* Grows by each change of what was there before a call. A call that changed nothing can be made again. */
extern uint32_t pwt_changes;
int64_t pwt_memory_allocated(void);
int64_t pwt_max_memory_allocated(void);
void pwt_reset_max_memory_allocated(void);
void pwt_set_memory_limit(int64_t bytes);

#define pwt_copy_bytes(to, from, n) __builtin_memcpy((to), (from), (size_t)(n))
#define pwt_move_bytes(to, from, n) __builtin_memmove((to), (from), (size_t)(n))
#define pwt_fill_bytes(to, byte, n) __builtin_memset((to), (byte), (size_t)(n))
bool pwt_same_text(const char *a, const char *b);

/* ---- dtypes ---- */
typedef enum {
  PWT_BOOL,
  PWT_UINT8,
  PWT_INT8,
  PWT_INT16,
  PWT_INT32,
  PWT_INT64,
  PWT_FLOAT16,
  PWT_BFLOAT16,
  PWT_FLOAT32,
  PWT_FLOAT64,
  PWT_COMPLEX64,
  PWT_COMPLEX128,
  /* kept, moved and converted; few operators compute with them (tables.py) */
  PWT_UINT16,
  PWT_UINT32,
  PWT_UINT64,
  PWT_FLOAT8_E4M3FN,
  PWT_FLOAT8_E5M2,
  PWT_FLOAT8_E4M3FNUZ,
  PWT_FLOAT8_E5M2FNUZ,
  PWT_FLOAT8_E8M0FNU,
  PWT_DTYPES,
  PWT_NO_DTYPE = -1,
} DType;

/* What loops compute in. Loads widen a stored dtype to its compute type, stores narrow. */
typedef enum { CT_BOOL, CT_I32, CT_I64, CT_F32, CT_F64, CT_C64, CT_C128, CT_COUNT, CT_NONE = -1 } ComputeType;

typedef float _Complex complex64;
typedef double _Complex complex128;

extern const uint8_t pwt_itemsize[PWT_DTYPES];
extern const uint8_t pwt_compute_size[CT_COUNT];
extern const uint8_t pwt_compute_type[PWT_DTYPES]; /* bool computes in int32 here; predicates ask for CT_BOOL */
extern const uint8_t pwt_dtype_of_compute[CT_COUNT];
const char *pwt_dtype_name(DType dtype);     /* float32 */
const char *pwt_dtype_message_name(DType dtype); /* Float */
const char *pwt_c_type_name(DType dtype);    /* float, long int: as other messages of torch name it */

static inline bool pwt_is_wide_unsigned(DType d) { return d >= PWT_UINT16 && d <= PWT_UINT64; }
static inline bool pwt_is_float8(DType d) { return d >= PWT_FLOAT8_E4M3FN && d <= PWT_FLOAT8_E8M0FNU; }
static inline bool pwt_is_complex(DType d) { return d == PWT_COMPLEX64 || d == PWT_COMPLEX128; }
static inline bool pwt_is_floating(DType d) { return (d >= PWT_FLOAT16 && d <= PWT_FLOAT64) || pwt_is_float8(d); }
static inline bool pwt_is_differentiable(DType d) { return d >= PWT_FLOAT16 && !pwt_is_wide_unsigned(d); }
static inline bool pwt_is_integral(DType d) { return (d >= PWT_UINT8 && d <= PWT_INT64) || pwt_is_wide_unsigned(d); } /* bool is not */
DType pwt_real_dtype(DType d);    /* complex64 -> float32, others unchanged */
DType pwt_complex_dtype(DType d); /* float32 -> complex64, ... */
DType pwt_promote_types(DType a, DType b);
bool pwt_can_cast(DType from, DType to);
extern DType pwt_default_dtype; /* float32 unless the program says otherwise */

/* Converts n contiguous elements; floats to integers truncate and wrap as torch does, anything to bool is != 0. */
void pwt_convert(void *to, DType to_dtype, const void *from, DType from_dtype, int64_t n);

/* Stored elements to a compute type and back; pwt_stored_as_computed: the loop may read them in place. */
void pwt_load(void *to, ComputeType type, const void *from, DType dtype, int64_t n);
void pwt_store(void *to, DType dtype, const void *from, ComputeType type, int64_t n);
void pwt_convert_compute(void *to, ComputeType to_type, const void *from, ComputeType from_type, int64_t n);
bool pwt_stored_as_computed(DType dtype, ComputeType type);

float pwt_half_to_float(uint16_t bits);
uint16_t pwt_float_to_half(float value);
float pwt_bfloat16_to_float(uint16_t bits);
uint16_t pwt_float_to_bfloat16(float value);
float pwt_float8_to_float(uint8_t bits, DType dtype);
uint8_t pwt_float_to_float8(float value, DType dtype);

/* ---- numbers that a program wrote as Python numbers ---- */
typedef enum { SCALAR_NONE = 0, SCALAR_BOOL = 1, SCALAR_INT = 2, SCALAR_FLOAT = 3, SCALAR_COMPLEX = 4 } ScalarKind;

typedef struct {
  ScalarKind kind;
  int64_t i;      /* the value of a bool or an int */
  double re, im;  /* the value as a double (complex), filled for every kind */
} Scalar;

static inline Scalar pwt_scalar_int(int64_t v) { return (Scalar){SCALAR_INT, v, (double)v, 0}; }
static inline Scalar pwt_scalar_float(double v) { return (Scalar){SCALAR_FLOAT, 0, v, 0}; }
static inline Scalar pwt_scalar_bool(bool v) { return (Scalar){SCALAR_BOOL, v, (double)v, 0}; }
static inline Scalar pwt_scalar_complex(double re, double im) { return (Scalar){SCALAR_COMPLEX, 0, re, im}; }
static inline Scalar pwt_scalar_none(void) { return (Scalar){SCALAR_NONE, 0, 0, 0}; }
static inline int64_t pwt_scalar_as_int(Scalar s) { return s.kind <= SCALAR_INT ? s.i : (int64_t)s.re; }
DType pwt_scalar_dtype(Scalar s); /* bool, int64, the default float, or its complex */
void pwt_scalar_store(Scalar s, DType dtype, void *to);
Scalar pwt_scalar_load(DType dtype, const void *from);
Scalar pwt_scalar_add(Scalar a, Scalar b);
Scalar pwt_scalar_sub(Scalar a, Scalar b);
Scalar pwt_scalar_mul(Scalar a, Scalar b);
Scalar pwt_scalar_div(Scalar a, Scalar b); /* true division */
Scalar pwt_scalar_neg(Scalar a);
bool pwt_scalar_equal(Scalar a, Scalar b);
/* Whether dtype can hold the number; records torch's RuntimeError where not. Negatives wrap for uint8, as in torch. */
bool pwt_check_fits(Scalar value, DType dtype);
bool pwt_check_fills(Scalar value, DType dtype); /* what fills 16-bit floats may be infinite in them */

/* a * b, or false where it does not fit; the compiler's own check would pull in 128-bit multiplication. */
static inline bool pwt_multiply(int64_t a, int64_t b, int64_t *product) {
  *product = (int64_t)((uint64_t)a * (uint64_t)b);
  double estimate = (double)a * (double)b;
  return estimate < 9.2e18 && estimate > -9.2e18;
}

#define PWT_MIN(a, b) ((a) < (b) ? (a) : (b))
#define PWT_MAX(a, b) ((a) > (b) ? (a) : (b))
