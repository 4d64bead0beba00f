/* Building blocks of the matrix product, for kernels that pack B themselves (convolution).

   B is packed in panels of PANEL columns: panel q holds, for each p, the elements (p, q * PANEL .. + PANEL - 1) side by
   side, and the last panel is padded with zeros. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { GEMM_MAX_DEPTH = 128, GEMM_PANEL_F32 = 16, GEMM_PANEL_F64 = 8 };

/* Multiply-adds per parallel chunk: about 0.1 ms. */
enum { GEMM_CHUNK_WORK = 2 << 20 };

/* How many steps of k are summed before they are added to C: near-equal blocks of at most GEMM_MAX_DEPTH. */
static inline int64_t gemm_depth(int64_t k) {
  int64_t blocks = (k + GEMM_MAX_DEPTH - 1) / GEMM_MAX_DEPTH;
  return (k + blocks - 1) / blocks;
}

static inline int64_t gemm_round_up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

/* Where C's columns lie: column j at data + (j / run) * jump + j % run, rows `row` elements apart. */
#define GEMM_DECLARE(name, type)                                                                                      \
  typedef struct {                                                                                                    \
    type *data;                                                                                                       \
    int64_t row, run, jump;                                                                                           \
  } gemm_target_##name;                                                                                               \
  /* C (+)= A B for A of m × depth (at most GEMM_MAX_DEPTH) and the n columns of C from `first` on. B's panels are    \
     b_next elements apart and their rows b_row; the last one's rows, too, have PANEL elements that can be read. */   \
  void pwt_gemm_block_##name(int64_t m, int64_t n, int64_t depth, const type *a, int64_t a_row, int64_t a_col,        \
                             const type *b, int64_t b_row, int64_t b_next, gemm_target_##name c, int64_t first,       \
                             bool add);                                                                               \
  /* packs a depth × n block of B */                                                                                  \
  void pwt_gemm_pack_##name(int64_t n, int64_t depth, const type *b, int64_t b_row, int64_t b_col, type *panels);

GEMM_DECLARE(f32, float)
GEMM_DECLARE(f64, double)
