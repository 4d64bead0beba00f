/* Ordering over contiguous rows, below tensors: sort, select, search, unique.
   Keys are CT_I32, CT_I64, CT_F32 or CT_F64; narrower dtypes are widened before. A row has fewer than 2^32 keys.
   NaN is the greatest value, as in torch, and -0 equals 0. Everything is stable: of equal keys the one with the
   lower index comes first, ascending or descending. */
#pragma once
#include "base.h"

/* ---- sort: O(n), or O(n log n) for short rows ---- */
int64_t pwt_sort_workspace(ComputeType type, int64_t n); /* bytes, aligned to 16 */
/* `values` may be NULL or, for the row in place, `keys`; `indices` may be NULL. */
void pwt_sort_row(ComputeType type, const void *keys, void *values, int64_t *indices, int64_t n, bool descending,
                  void *workspace);

/* ---- select: O(n) ---- */
/* Index of the key that a stable sort would put at `position`. */
int64_t pwt_select_row(ComputeType type, const void *keys, int64_t n, int64_t position, bool descending);
/* The first k of the sorted row, sorted; the workspace is that of sorting k keys. `values` may be NULL. */
void pwt_topk_row(ComputeType type, const void *keys, void *values, int64_t *indices, int64_t n, int64_t k,
                  bool largest, void *workspace);
int64_t pwt_first_nan(ComputeType type, const void *keys, int64_t n); /* its index, or -1 */

/* ---- search: positions of `values` in the ascending `sorted`, each O(log n) ---- */
/* right: after equal ones. `sorter` (or NULL) holds the order in which `sorted` is ascending. */
void pwt_searchsorted_row(ComputeType type, const void *sorted, const int64_t *sorter, int64_t n, const void *values,
                          int64_t *positions, int64_t count, bool right);

/* ---- unique: runs of equal neighbours; a NaN equals nothing ---- */
/* `order` (or NULL: as they stand) holds the index each sorted key came from; `inverse` is in the order of the
   unsorted row. Any output may be NULL. Returns the number of runs. */
int64_t pwt_unique_row(ComputeType type, const void *sorted, const int64_t *order, int64_t n, void *values,
                       int64_t *inverse, int64_t *counts);
