/* Products through tables of codes: what a variant gives (multiply_int8.c has the kernel). */
#ifndef VINDEX3_INT8_H
#define VINDEX3_INT8_H

#include "vq.h"

#define BLOCK 32
#define VALUES (PACKED_STAGES * PACKED_ENTRIES)
#define LARGEST 127

/* The largest magnitude of a block's table; what is not finite passes for larger than any number. */
typedef float largest_function(const float *table, size_t positions);

/* Codes of one block, as the variant wants them; `unit` is not 0. */
typedef void codes_function(const float *table, size_t positions, float unit, uint8_t *codes);

/* For 64 rows, `step` bytes a position: adds to `sums` what each block of the positions gives. The bytes of a
 * row stand together, or if they are planar, 64 apart. */
typedef void tile_function(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes, const float *units,
                           size_t positions, float *sums);

largest_function int8_largest_avx2, int8_largest_neon;
codes_function int8_codes_avx2, int8_codes_avx512, int8_codes_neon;
tile_function int8_tile_avx2, int8_tile_avx512, int8_tile_neon;

/* The float of these bits. */
INLINE float magnitude(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
