/* Vector-matrix products and dot products for one floating-point type: a part of gemm_loops.h. */

enum { DOT_LANES = 16, DOT_BLOCK = 4096, VECTOR_BLOCK = 512 };

/* --- dot: sixteen interleaved sums, folded in halves */

static TYPE dot_block(ptrdiff_t k, const TYPE *a, ptrdiff_t a_step, const TYPE *b, ptrdiff_t b_step) {
  TYPE sums[DOT_LANES] = {0};
  ptrdiff_t whole = k - k % DOT_LANES, p = 0;
  if (a_step == 1 && b_step == 1) {
    vec parts[DOT_LANES / LANES];
    for (int v = 0; v < DOT_LANES / LANES; v++) parts[v] = splat(0);
    for (; p < whole; p += DOT_LANES)
      for (int v = 0; v < DOT_LANES / LANES; v++) parts[v] += load(a + p + v * LANES) * load(b + p + v * LANES);
    for (int v = 0; v < DOT_LANES / LANES; v++) store(sums + v * LANES, parts[v]);
  }
  for (; p < k; p++) sums[p % DOT_LANES] += a[p * a_step] * b[p * b_step];
  for (int half = DOT_LANES / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) sums[i] += sums[i + half];
  return sums[0];
}

static TYPE dot(int64_t k, const TYPE *a, int64_t a_step, const TYPE *b, int64_t b_step) {
  TYPE sum = 0;
  for (int64_t p = 0; p < k; p += DOT_BLOCK)
    sum += dot_block(k - p < DOT_BLOCK ? k - p : DOT_BLOCK, a + p * a_step, a_step, b + p * b_step, b_step);
  return sum;
}

/* --- y (+)= x B: for every column, ((p0 + p1) + (p2 + p3)) per four steps of p */

typedef struct {
  int64_t n, k;
  const TYPE *x;
  ptrdiff_t x_step;
  const TYPE *b;
  ptrdiff_t b_row, b_col;
  TYPE *y;
  ptrdiff_t y_step;
  bool accumulate;
} vector_task;

static TYPE one_column(ptrdiff_t k, const TYPE *x, ptrdiff_t x_step, const TYPE *b, ptrdiff_t b_row, TYPE sum) {
  ptrdiff_t p = 0;
  for (; p + 4 <= k; p += 4) {
    TYPE part[4];
    for (int i = 0; i < 4; i++) part[i] = x[(p + i) * x_step] * b[(p + i) * b_row];
    sum += (part[0] + part[1]) + (part[2] + part[3]);
  }
  for (; p < k; p++) sum += x[p * x_step] * b[p * b_row];
  return sum;
}

/* B's rows are contiguous: four of them at a time are added to a block of sums. */
static void columns_from_rows(const vector_task *s, int64_t first, int count, TYPE *sums) {
  const TYPE *x = s->x, *b = s->b + first;
  ptrdiff_t p = 0;
  for (; p + 4 <= s->k; p += 4, x += 4 * s->x_step, b += 4 * s->b_row) {
    TYPE x0 = x[0], x1 = x[s->x_step], x2 = x[2 * s->x_step], x3 = x[3 * s->x_step];
    const TYPE *b1 = b + s->b_row, *b2 = b1 + s->b_row, *b3 = b2 + s->b_row;
    int j = 0;
    for (; j + LANES <= count; j += LANES)
      store(sums + j, load(sums + j) + ((splat(x0) * load(b + j) + splat(x1) * load(b1 + j)) +
                                        (splat(x2) * load(b2 + j) + splat(x3) * load(b3 + j))));
    for (; j < count; j++) sums[j] += (x0 * b[j] + x1 * b1[j]) + (x2 * b2[j] + x3 * b3[j]);
  }
  for (; p < s->k; p++, x += s->x_step, b += s->b_row)
    for (int j = 0; j < count; j++) sums[j] += x[0] * b[j];
}

/* The sums of four products in a row for LANES columns, whose elements are contiguous in p. */
INLINE vec four_products(const TYPE *x, const TYPE *b, ptrdiff_t b_col) {
#if LANES == 4
  vec xs = load(x), c[4];
  for (int j = 0; j < 4; j++) c[j] = xs * load(b + j * b_col);
  vec lo = __builtin_shufflevector(c[0], c[1], 0, 2, 4, 6) + __builtin_shufflevector(c[0], c[1], 1, 3, 5, 7);
  vec hi = __builtin_shufflevector(c[2], c[3], 0, 2, 4, 6) + __builtin_shufflevector(c[2], c[3], 1, 3, 5, 7);
  return __builtin_shufflevector(lo, hi, 0, 2, 4, 6) + __builtin_shufflevector(lo, hi, 1, 3, 5, 7);
#else
  vec x0 = load(x), x1 = load(x + 2);
  vec a0 = x0 * load(b), a1 = x1 * load(b + 2), b0 = x0 * load(b + b_col), b1 = x1 * load(b + b_col + 2);
  return (__builtin_shufflevector(a0, b0, 0, 2) + __builtin_shufflevector(a0, b0, 1, 3)) +
         (__builtin_shufflevector(a1, b1, 0, 2) + __builtin_shufflevector(a1, b1, 1, 3));
#endif
}

/* B's columns are contiguous, and so is x: LANES columns at a time. */
static void columns_from_columns(const vector_task *s, int64_t first, int count, TYPE *sums) {
  for (int j = 0; j + LANES <= count; j += LANES) {
    const TYPE *b = s->b + (first + j) * s->b_col;
    vec sum = load(sums + j);
    ptrdiff_t p = 0;
    for (; p + 4 <= s->k; p += 4) sum += four_products(s->x + p, b + p, s->b_col);
    for (; p < s->k; p++)
      for (int l = 0; l < LANES; l++) sum[l] += s->x[p] * b[p + l * s->b_col];
    store(sums + j, sum);
  }
  for (int j = count - count % LANES; j < count; j++)
    sums[j] = one_column(s->k, s->x, 1, s->b + (first + j) * s->b_col, 1, sums[j]);
}

static void vector_chunk(void *ctx, int64_t begin, int64_t end) {
  const vector_task *s = ctx;
  for (int64_t first = begin; first < end; first += VECTOR_BLOCK) {
    int count = end - first < VECTOR_BLOCK ? end - first : VECTOR_BLOCK;
    TYPE sums[VECTOR_BLOCK], *y = s->y + first * s->y_step;
    for (int j = 0; j < count; j++) sums[j] = s->accumulate ? y[j * s->y_step] : 0;
    if (s->b_col == 1)
      columns_from_rows(s, first, count, sums);
    else if (s->b_row == 1 && s->x_step == 1)
      columns_from_columns(s, first, count, sums);
    else
      for (int j = 0; j < count; j++)
        sums[j] = one_column(s->k, s->x, s->x_step, s->b + (first + j) * s->b_col, s->b_row, sums[j]);
    for (int j = 0; j < count; j++) y[j * s->y_step] = sums[j];
  }
}

static void vector_product(vector_task s) {
  pwt_parallel_for(s.n, gemm_round_up(pwt_grain(GEMM_CHUNK_WORK / 8, s.k), 16), vector_chunk, &s);
}
