/* The matrix product of one floating-point type: included by gemm_f32.c and gemm_f64.c, which define
   TYPE, LANES (per 16 bytes), PANEL and NAME(x).

   The kernel holds a tile of 2 rows × 4 vectors of C in registers. Four pairs of rows of A are copied to the stack with
   each element repeated over a vector, and then meet one panel of B after the other; a panel stays in the first-level
   cache for the four pairs and the packed block of B in the second-level one (the scheme of Goto and van de Geijn,
   "Anatomy of high-performance matrix multiplication", 2008). */
#include <stddef.h>

#include "base/parallel.h"
#include "gemm.h"
#include "gemm_blocks.h"

#define INLINE static inline __attribute__((always_inline))

enum { ROWS = 8, TILE_ROWS = 2, TILE_VECTORS = PANEL / LANES, MAX_COLUMNS = 2048 };

typedef TYPE vec __attribute__((vector_size(16)));
typedef TYPE loose_vec __attribute__((vector_size(16), aligned(sizeof(TYPE)), may_alias));
typedef NAME(gemm_target) target;

INLINE vec load(const TYPE *p) { return *(const loose_vec *)p; }
INLINE void store(TYPE *p, vec x) { *(loose_vec *)p = x; }
INLINE vec splat(TYPE x) {
  vec v;
  for (int i = 0; i < LANES; i++) v[i] = x;
  return v;
}

/* --- one tile */

/* c[r][·] (+)= sum over p of a(r, p) b[p][·] for a tile of `rows` rows. A is either strided scalars or, if `repeated`,
   vectors of one value each, the rows of the tile side by side. */
INLINE void tile(const int rows, const bool repeated, ptrdiff_t depth, const TYPE *a, ptrdiff_t a_row, ptrdiff_t a_col,
                 const TYPE *b, ptrdiff_t b_row, TYPE *c, ptrdiff_t c_row, bool add) {
  vec sum[TILE_ROWS][TILE_VECTORS];
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < TILE_VECTORS; v++) sum[r][v] = splat(0);
  for (ptrdiff_t p = 0; p < depth; p++) {
    for (int r = 0; r < rows; r++) {
      vec x = repeated ? load(a + r * LANES) : splat(a[r * a_row]);
      for (int v = 0; v < TILE_VECTORS; v++) sum[r][v] += x * load(b + v * LANES);
    }
    a += repeated ? rows * LANES : a_col;
    b += b_row;
  }
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < TILE_VECTORS; v++) {
      TYPE *out = c + r * c_row + v * LANES;
      store(out, add ? load(out) + sum[r][v] : sum[r][v]);
    }
}

/* A few rows of A: scalars with their strides, or repeated vectors as `repeat_rows` lays them out. */
typedef struct {
  const TYPE *data;
  ptrdiff_t row, col;
  bool repeated;
} rows_of_a;

static void tile_any(int rows, rows_of_a a, ptrdiff_t depth, const TYPE *b, ptrdiff_t b_row, TYPE *c, ptrdiff_t c_row,
                     bool add) {
  if (rows == 2 && a.repeated)
    tile(2, true, depth, a.data, 0, 0, b, b_row, c, c_row, add);
  else if (rows == 2)
    tile(2, false, depth, a.data, a.row, a.col, b, b_row, c, c_row, add);
  else
    tile(1, false, depth, a.data, a.row, a.col, b, b_row, c, c_row, add);
}

/* --- packing */

/* Copies pairs of rows of A, each element repeated over a vector. A last single row is left out. */
static void repeat_rows(int64_t rows, ptrdiff_t depth, const TYPE *a, ptrdiff_t a_row, ptrdiff_t a_col, TYPE *out) {
  for (int64_t i = 0; i + 1 < rows; i += 2) {
    const TYPE *first = a + i * a_row, *second = first + a_row;
    for (ptrdiff_t p = 0; p < depth; p++) {
      store(out, splat(first[p * a_col]));
      store(out + LANES, splat(second[p * a_col]));
      out += 2 * LANES;
    }
  }
}

/* x[i][j] = x[j][i] */
INLINE void transpose(vec x[LANES]) {
#if LANES == 4
  vec a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5), b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
  vec c = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7), d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  x[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
#else
  vec a = __builtin_shufflevector(x[0], x[1], 0, 2);
  x[1] = __builtin_shufflevector(x[0], x[1], 1, 3);
  x[0] = a;
#endif
}

static void pack_by_rows(ptrdiff_t depth, const TYPE *b, ptrdiff_t b_row, TYPE *panel) {
  for (ptrdiff_t p = 0; p < depth; p++, b += b_row, panel += PANEL)
    for (int v = 0; v < PANEL; v += LANES) store(panel + v, load(b + v));
}

/* B's columns are contiguous: LANES × LANES blocks are transposed in registers. */
static void pack_by_columns(ptrdiff_t depth, const TYPE *b, ptrdiff_t b_col, TYPE *panel) {
  ptrdiff_t whole = depth - depth % LANES;
  for (ptrdiff_t p = 0; p < whole; p += LANES)
    for (int v = 0; v < PANEL; v += LANES) {
      vec x[LANES];
      for (int j = 0; j < LANES; j++) x[j] = load(b + p + (v + j) * b_col);
      transpose(x);
      for (int j = 0; j < LANES; j++) store(panel + (p + j) * PANEL + v, x[j]);
    }
  for (ptrdiff_t p = whole; p < depth; p++)
    for (int j = 0; j < PANEL; j++) panel[p * PANEL + j] = b[p + j * b_col];
}

static void pack_columns(int columns, ptrdiff_t depth, const TYPE *b, ptrdiff_t b_row, ptrdiff_t b_col, TYPE *panel) {
  for (ptrdiff_t p = 0; p < depth; p++, b += b_row, panel += PANEL) {
    for (int j = 0; j < columns; j++) panel[j] = b[j * b_col];
    for (int j = columns; j < PANEL; j++) panel[j] = 0;
  }
}

void NAME(pwt_gemm_pack)(int64_t n, int64_t depth, const TYPE *b, int64_t b_row, int64_t b_col, TYPE *panels) {
  for (int64_t j = 0; j < n; j += PANEL, b += PANEL * b_col, panels += PANEL * depth) {
    if (n - j < PANEL)
      pack_columns(n - j, depth, b, b_row, b_col, panels);
    else if (b_col == 1)
      pack_by_rows(depth, b, b_row, panels);
    else if (b_row == 1)
      pack_by_columns(depth, b, b_col, panels);
    else
      pack_columns(PANEL, depth, b, b_row, b_col, panels);
  }
}

/* --- a block of C: all of one range of k */

/* Panels of B: packed, or read where they lie (rows `row` apart) but for a last incomplete one, which is `tail`. */
typedef struct {
  const TYPE *data, *tail;
  ptrdiff_t row, next;
} panels_of_b;

/* A tile that hangs over C's edge or over the end of a run: computed aside, then put in place element by element. */
static void tile_scattered(int rows, rows_of_a a, ptrdiff_t depth, const TYPE *b, ptrdiff_t b_row, target c,
                           int64_t row, int64_t column, int columns, bool add) {
  TYPE sums[TILE_ROWS * PANEL];
  tile_any(rows, a, depth, b, b_row, sums, PANEL, false);
  int64_t run = column / c.run, within = column % c.run;
  TYPE *out = c.data + row * c.row + run * c.jump;
  for (int j = 0; j < columns; j++) {
    for (int r = 0; r < rows; r++) {
      TYPE *x = out + r * c.row + within;
      *x = add ? *x + sums[r * PANEL + j] : sums[r * PANEL + j];
    }
    if (++within == c.run) within = 0, out += c.jump;
  }
}

static void multiply_rows(int64_t i, int rows, int64_t n, ptrdiff_t depth, rows_of_a a, const TYPE *repeated,
                          panels_of_b b, target c, int64_t first, bool add) {
  int64_t run = first / c.run, within = first % c.run;
  for (int64_t j = 0; j < n; j += PANEL) {
    bool last = n - j < PANEL;
    const TYPE *panel = last && b.tail ? b.tail : b.data + j / PANEL * b.next;
    ptrdiff_t step = last && b.tail ? PANEL : b.row;
    bool whole = !last && c.run - within >= PANEL;
    for (int r = 0; r < rows; r += TILE_ROWS) {
      int count = rows - r < TILE_ROWS ? rows - r : TILE_ROWS;
      rows_of_a part = {a.data + (i + r) * a.row, a.row, a.col, false};
      if (repeated && count == TILE_ROWS) part = (rows_of_a){repeated + r * depth * LANES, 0, 0, true};
      if (whole)
        tile_any(count, part, depth, panel, step, c.data + (i + r) * c.row + run * c.jump + within, c.row, add);
      else
        tile_scattered(count, part, depth, panel, step, c, i + r, first + j, last ? n - j : PANEL, add);
    }
    for (within += PANEL; within >= c.run; within -= c.run) run++;
  }
}

static void multiply_block(int64_t m, int64_t n, ptrdiff_t depth, const TYPE *a, ptrdiff_t a_row, ptrdiff_t a_col,
                           panels_of_b b, target c, int64_t first, bool add) {
  _Alignas(64) TYPE repeated[ROWS * GEMM_MAX_DEPTH * LANES];
  bool repeat = n > 2 * PANEL;
  for (int64_t i = 0; i < m; i += ROWS) {
    int rows = m - i < ROWS ? m - i : ROWS;
    if (repeat) repeat_rows(rows, depth, a + i * a_row, a_row, a_col, repeated);
    multiply_rows(i, rows, n, depth, (rows_of_a){a, a_row, a_col, false}, repeat ? repeated : 0, b, c, first, add);
  }
}

void NAME(pwt_gemm_block)(int64_t m, int64_t n, int64_t depth, const TYPE *a, int64_t a_row, int64_t a_col,
                          const TYPE *b, int64_t b_row, int64_t b_next, target c, int64_t first, bool add) {
  multiply_block(m, n, depth, a, a_row, a_col, (panels_of_b){b, 0, b_row, b_next}, c, first, add);
}

/* --- the whole product */

typedef struct {
  int64_t m, n, k;
  const TYPE *a;
  int64_t a_row, a_col;
  const TYPE *b;
  int64_t b_row, b_col;
  TYPE *c;
  int64_t c_row;
  bool accumulate;
} product;

/* One block of B (depth × columns, from row `p` and column `j`) on its way through all rows of A. */
typedef struct {
  const product *of;
  TYPE *panels;
  int64_t p, depth, j, columns, row_chunk, column_chunk;
} pass;

static void pack_chunk(void *ctx, int64_t begin, int64_t end) {
  const pass *s = ctx;
  const product *g = s->of;
  int64_t first = begin * PANEL, last = end * PANEL < s->columns ? end * PANEL : s->columns;
  NAME(pwt_gemm_pack)
  (last - first, s->depth, g->b + s->p * g->b_row + (s->j + first) * g->b_col, g->b_row, g->b_col,
   s->panels + first * s->depth);
}

static void multiply_chunk(void *ctx, int64_t begin, int64_t end) {
  const pass *s = ctx;
  const product *g = s->of;
  int64_t across = (s->columns + s->column_chunk - 1) / s->column_chunk;
  for (int64_t t = begin; t < end; t++) {
    int64_t i = t / across * s->row_chunk, j = t % across * s->column_chunk;
    int64_t rows = g->m - i < s->row_chunk ? g->m - i : s->row_chunk;
    int64_t columns = s->columns - j < s->column_chunk ? s->columns - j : s->column_chunk;
    target c = {g->c + i * g->c_row + s->j, g->c_row, s->columns, 0};
    NAME(pwt_gemm_block)
    (rows, columns, s->depth, g->a + i * g->a_row + s->p * g->a_col, g->a_row, g->a_col, s->panels + j * s->depth, PANEL,
     PANEL * s->depth, c, j, g->accumulate || s->p > 0);
  }
}

static void product_packed(const product *g, TYPE *panels) {
  int64_t depth = gemm_depth(g->k);
  for (int64_t j = 0; j < g->n; j += MAX_COLUMNS) {
    int64_t columns = g->n - j < MAX_COLUMNS ? g->n - j : MAX_COLUMNS;
    for (int64_t p = 0; p < g->k; p += depth) {
      pass s = {.of = g, .panels = panels, .p = p, .j = j, .columns = columns};
      s.depth = g->k - p < depth ? g->k - p : depth;
      s.column_chunk = g->m > 4 * ROWS ? columns : 16 * PANEL;
      s.row_chunk = gemm_round_up(pwt_grain(GEMM_CHUNK_WORK, s.column_chunk * s.depth), ROWS);
      int64_t across = (columns + s.column_chunk - 1) / s.column_chunk;
      int64_t down = (g->m + s.row_chunk - 1) / s.row_chunk;
      int64_t chunk_rows = g->m < s.row_chunk ? g->m : s.row_chunk;
      pwt_parallel_for((columns + PANEL - 1) / PANEL, pwt_grain(GEMM_CHUNK_WORK / 16, PANEL * s.depth), pack_chunk, &s);
      pwt_parallel_for(across * down, pwt_grain(GEMM_CHUNK_WORK, chunk_rows * s.column_chunk * s.depth),
                       multiply_chunk, &s);
    }
  }
}

/* B is small or A has few rows, and B's rows are contiguous: read B where it lies. */
static bool is_direct(const product *g) { return g->b_col == 1 && (g->m <= 2 * ROWS || g->n * g->k <= 8192); }

static void direct_chunk(void *ctx, int64_t begin, int64_t end) {
  const product *g = ctx;
  _Alignas(64) TYPE tail[GEMM_MAX_DEPTH * PANEL];
  int64_t j = begin * PANEL, columns = (end * PANEL < g->n ? end * PANEL : g->n) - j;
  int64_t whole = columns - columns % PANEL, most = gemm_depth(g->k);
  for (int64_t p = 0; p < g->k; p += most) {
    ptrdiff_t depth = g->k - p < most ? g->k - p : most;
    const TYPE *b = g->b + p * g->b_row + j;
    if (whole < columns) pack_columns(columns - whole, depth, b + whole, g->b_row, 1, tail);
    multiply_block(g->m, columns, depth, g->a + p * g->a_col, g->a_row, g->a_col,
                   (panels_of_b){b, tail, g->b_row, PANEL}, (target){g->c + j, g->c_row, columns, 0}, 0,
                   g->accumulate || p > 0);
  }
}

static void clear(const product *g) {
  for (int64_t i = 0; i < g->m; i++) __builtin_memset(g->c + i * g->c_row, 0, (size_t)g->n * sizeof(TYPE));
}

#include "gemm_vector.h"

void NAME(pwt_gemm)(int64_t m, int64_t n, int64_t k, const TYPE *a, int64_t a_row, int64_t a_col, const TYPE *b,
                    int64_t b_row, int64_t b_col, TYPE *c, int64_t c_row, bool accumulate, void *workspace) {
  product g = {m, n, k, a, a_row, a_col, b, b_row, b_col, c, c_row, accumulate};
  if (m < 1 || n < 1) return;
  if (k < 1) {
    if (!accumulate) clear(&g);
  } else if (m == 1 && n == 1) {
    *c = (accumulate ? *c : 0) + dot(k, a, a_col, b, b_row);
  } else if (m == 1) {
    vector_product((vector_task){n, k, a, a_col, b, b_row, b_col, c, 1, accumulate});
  } else if (n == 1) {
    vector_product((vector_task){m, k, b, b_row, a, a_col, a_row, c, c_row, accumulate});
  } else if (is_direct(&g)) {
    pwt_parallel_for((n + PANEL - 1) / PANEL, pwt_grain(GEMM_CHUNK_WORK, m * k * PANEL), direct_chunk, &g);
  } else {
    product_packed(&g, workspace);
  }
}

int64_t NAME(pwt_gemm_workspace)(int64_t m, int64_t n, int64_t k) {
  if (m < 2 || n < 2 || k < 1) return 0;
  return gemm_depth(k) * gemm_round_up(n < MAX_COLUMNS ? n : MAX_COLUMNS, PANEL) * (int64_t)sizeof(TYPE);
}

/* --- batches */

typedef struct {
  product first;
  int64_t a_batch, b_batch, c_batch;
  pwt_slots slots;
} batch_task;

static void batch_chunk(void *ctx, int64_t begin, int64_t end) {
  batch_task *s = ctx;
  const product *g = &s->first;
  void *slot = pwt_slot_take(&s->slots);
  for (int64_t t = begin; t < end; t++)
    NAME(pwt_gemm)
  (g->m, g->n, g->k, g->a + t * s->a_batch, g->a_row, g->a_col, g->b + t * s->b_batch, g->b_row, g->b_col,
   g->c + t * s->c_batch, g->c_row, g->accumulate, slot);
  pwt_slot_give(&s->slots, slot);
}

int64_t NAME(pwt_bmm_workspace)(int64_t batch, int64_t m, int64_t n, int64_t k) {
  int64_t one = NAME(pwt_gemm_workspace)(m, n, k);
  return batch < 2 ? one : pwt_slots_bytes(one);
}

void NAME(pwt_bmm)(int64_t batch, int64_t m, int64_t n, int64_t k, const TYPE *a, int64_t a_batch, int64_t a_row,
                   int64_t a_col, const TYPE *b, int64_t b_batch, int64_t b_row, int64_t b_col, TYPE *c,
                   int64_t c_batch, int64_t c_row, bool accumulate, void *workspace, int64_t workspace_bytes) {
  product first = {m, n, k, a, a_row, a_col, b, b_row, b_col, c, c_row, accumulate};
  batch_task s = {.first = first, .a_batch = a_batch, .b_batch = b_batch, .c_batch = c_batch};
  if (batch < 1 || m < 1 || n < 1) return;
  s.slots = pwt_slots_over(workspace, workspace_bytes, NAME(pwt_gemm_workspace)(m, n, k));
  int64_t work = m * n * (k < 1 ? 1 : k);
  if (work >= 8 * (int64_t)GEMM_CHUNK_WORK)
    batch_chunk(&s, 0, batch);
  else
    pwt_parallel_for(batch, pwt_grain(GEMM_CHUNK_WORK, work), batch_chunk, &s);
}
