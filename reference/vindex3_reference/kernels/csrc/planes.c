/* Packed indices taken apart into planes once, for products that are asked for often (section 7). */
#include "vq.h"

void planes_of(const struct matrix *matrix, uint8_t *planes)
{
    size_t apart = matrix->block * PACKED_BYTES, tile = matrix->positions * TILE_BYTES;
    memset(planes, 0, (matrix->rows + TILE - 1) / TILE * tile);
    for (size_t row = 0; row < matrix->rows; row++) {
        const uint8_t *run = row_of(matrix, row);
        uint8_t *plane = planes + row / TILE * tile + row % TILE;
        for (size_t position = 0; position < matrix->positions; position++, run += apart, plane += TILE_BYTES)
            for (unsigned k = 0; k < PACKED_BYTES; k++)
                plane[TILE * k] = run[k];
    }
}
