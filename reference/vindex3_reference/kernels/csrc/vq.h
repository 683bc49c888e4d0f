/* Matrices of indices: where indices stand, and books as floats (sections 5 to 7). */
#ifndef VINDEX3_VQ_H
#define VINDEX3_VQ_H

#include "kernels.h"

#define MOST_STAGES 8
#define PACKED_STAGES 4
#define PACKED_ENTRIES 64
#define PACKED_BYTES 3
#define TILE 64
#define TILE_BYTES (TILE * PACKED_BYTES)

/* Memory behind tables: an index of any byte stays inside, whatever another thread puts into the indices
 * after they were judged. */
#define SLACK 256

/* Books widened, of [stages][entries][vec_dim] or of [stages][vec_dim][width]; to be freed. NULL: no memory.
 * In the first form those of stage 0 are added to +0, where every sum starts. */
float *books_by_entry(const struct matrix *matrix);
float *books_by_element(const struct matrix *matrix, unsigned width);

/* Memory that starts at a cache line; to be freed. */
void *aligned(size_t bytes);

INLINE size_t run_bytes(const struct matrix *matrix)
{
    return matrix->packed ? PACKED_BYTES : matrix->stages;
}

/* The bytes of a row at position 0; those of the next position are block x run_bytes further. */
INLINE const uint8_t *row_of(const struct matrix *matrix, size_t row)
{
    size_t before = row / matrix->block * matrix->block * matrix->positions + row % matrix->block;
    return matrix->indices + before * run_bytes(matrix);
}

INLINE uint32_t packed_bits(const uint8_t *run)
{
    uint16_t low = (uint16_t)(run[0] | run[1] << 8);
    return low | (uint32_t)run[2] << 16;
}

/* The same where the bytes stand 64 apart. */
INLINE uint32_t planar_bits(const uint8_t *first)
{
    return first[0] | (uint32_t)first[TILE] << 8 | (uint32_t)first[2 * TILE] << 16;
}

/* The indices of a run: `stages` bytes, or four of 6 bits in three bytes. */
INLINE void indices_of(const uint8_t *run, unsigned stages, bool packed, unsigned index[MOST_STAGES])
{
    if (packed) {
        uint32_t bits = packed_bits(run);
        for (unsigned stage = 0; stage < PACKED_STAGES; stage++)
            index[stage] = bits >> 6 * stage & 63;
    } else {
        for (unsigned stage = 0; stage < stages; stage++)
            index[stage] = run[stage];
    }
}

#endif
