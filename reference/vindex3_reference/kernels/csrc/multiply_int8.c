/* Products through tables of 8-bit codes, for packed indices (section 7).
 *
 * A block of 32 positions has one unit, its largest table value over 127, and codes in that unit. The codes
 * of 64 rows are added exactly in words of 16 bits, where 32 positions of 4 stages fit; then the sum of each
 * row times the unit is added to the row in floats. Rows that do not lie 64 side by side are copied so.
 */
#include "int8.h"

#include <float.h>
#include <stdlib.h>

#define DIM 8
#define AT_ONCE 1024

void multiply_table(int isa, const float *books, unsigned stages, unsigned dim, unsigned width, const float *x,
                    size_t positions, float *tables);

/* Without their sign, floats are in order as whole numbers, with infinity and NaN at the end. */
static float largest_scalar(const float *table, size_t positions)
{
    uint32_t largest = 0;
    for (size_t k = 0; k < positions * VALUES; k++) {
        uint32_t bits;
        memcpy(&bits, table + k, sizeof bits);
        bits &= INT32_MAX;
        largest = bits > largest ? bits : largest;
    }
    return magnitude(largest);
}

static float rounded_to_even(float value)
{
    const float whole = 0x1.8p23f; /* above it floats are whole numbers: the addition rounds as it is asked to */
    return value + whole - whole;
}

static void codes_scalar(const float *table, size_t positions, float unit, uint8_t *codes)
{
    for (size_t k = 0; k < positions * VALUES; k++) {
        float code = table[k] / unit;
        code = code > LARGEST ? LARGEST : code < -LARGEST ? -LARGEST : code;
        codes[k] = (uint8_t)(int8_t)rounded_to_even(code);
    }
}

INLINE void tile(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes, const float *units,
                 size_t positions, float *sums)
{
    for (size_t position = 0; position < positions; position += BLOCK, units++) {
        int32_t total[TILE] = {0};
        size_t end = positions - position < BLOCK ? positions : position + BLOCK;
        for (size_t at = position; at < end; at++, runs += step, codes += VALUES)
            for (size_t row = 0; row < TILE; row++) {
                uint32_t bits = planar ? planar_bits(runs + row) : packed_bits(runs + PACKED_BYTES * row);
                for (unsigned stage = 0; stage < PACKED_STAGES; stage++)
                    total[row] += (int8_t)codes[stage * PACKED_ENTRIES + (bits >> 6 * stage & 63)];
            }
        for (size_t row = 0; row < TILE; row++)
            sums[row] += (float)total[row] * *units;
    }
}

static void tile_scalar(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes, const float *units,
                        size_t positions, float *sums)
{
    if (planar)
        tile(runs, step, true, codes, units, positions, sums);
    else
        tile(runs, step, false, codes, units, positions, sums);
}

static const struct {
    largest_function *largest;
    codes_function *codes;
    tile_function *tile;
} variants[ISAS] = {
    [SCALAR] = {largest_scalar, codes_scalar, tile_scalar},
#ifdef X86
    [AVX2] = {int8_largest_avx2, int8_codes_avx2, int8_tile_avx2},
    [AVX512] = {int8_largest_avx2, int8_codes_avx512, int8_tile_avx512},
#endif
#ifdef ARM
    [NEON] = {int8_largest_neon, int8_codes_neon, int8_tile_neon},
#endif
};

/* Codes of the blocks of some positions, and their units. Whether all is finite, else `block` says where not. */
static bool code_blocks(int isa, const float *books, const float *x, size_t position,
                        size_t positions, float *table, uint8_t *codes, float *units, size_t *block)
{
    for (size_t done = 0; done < positions; done += BLOCK, units++) {
        size_t count = positions - done < BLOCK ? positions - done : BLOCK;
        multiply_table(isa, books, PACKED_STAGES, DIM, PACKED_ENTRIES, x + (position + done) * DIM, count, table);
        float largest = variants[isa].largest(table, count);
        if (!(largest <= FLT_MAX)) {
            *block = (position + done) / BLOCK;
            return false;
        }
        *units = largest / LARGEST;
        /* where the unit is 0, all is so small that a quotient by 1 gives the code 0 that is wanted */
        variants[isa].codes(table, count, *units == 0.0f ? 1.0f : *units, codes + done * VALUES);
    }
    return true;
}

/* 64 rows side by side, as they are stored or copied so; what stands behind the last row is anything. */
static const uint8_t *side_by_side(const struct matrix *matrix, size_t row, size_t rows, size_t position,
                                   size_t positions, uint8_t *copy, size_t *step)
{
    size_t apart = matrix->block * PACKED_BYTES;
    if (row % matrix->block + TILE <= matrix->block) {
        *step = apart;
        return row_of(matrix, row) + position * apart;
    }
    *step = TILE_BYTES;
    for (size_t k = 0; k < rows; k++) {
        const uint8_t *run = row_of(matrix, row + k) + position * apart;
        for (size_t at = 0; at < positions; at++, run += apart)
            memcpy(copy + at * TILE_BYTES + k * PACKED_BYTES, run, PACKED_BYTES);
    }
    return copy;
}

static void add_tiles(int isa, const struct matrix *matrix, size_t begin, size_t end, size_t position,
                      size_t positions, const uint8_t *codes, const float *units, uint8_t *copy, float *out)
{
    for (size_t row = begin; row < end; row += TILE) {
        size_t rows = end - row < TILE ? end - row : TILE, step;
        float sums[TILE] = {0};
        memcpy(sums, out + row, rows * sizeof *sums);
        const uint8_t *runs = side_by_side(matrix, row, rows, position, positions, copy, &step);
        variants[isa].tile(runs, step, matrix->planar, codes, units, positions, sums);
        memcpy(out + row, sums, rows * sizeof *sums);
    }
}

static int multiply(int isa, const struct matrix *matrix, const float *x, size_t begin, size_t end, float *out,
                    size_t *block)
{
    size_t at_once = matrix->positions < AT_ONCE ? matrix->positions : AT_ONCE;
    float units[AT_ONCE / BLOCK], *books = books_by_element(matrix, PACKED_ENTRIES);
    float *table = aligned(BLOCK * VALUES * sizeof *table);
    uint8_t *codes = aligned(at_once * VALUES), *copy = aligned(at_once * TILE_BYTES);
    int answer = books && table && codes && copy ? 0 : -1;
    if (answer == 0) {
        memset(copy, 0, at_once * TILE_BYTES);
        for (size_t row = begin; row < end; row++)
            out[row] = 0.0f;
    }
    for (size_t position = 0; position < matrix->positions && answer == 0; position += at_once) {
        size_t left = matrix->positions - position, positions = left < at_once ? left : at_once;
        if (code_blocks(isa, books, x, position, positions, table, codes, units, block))
            add_tiles(isa, matrix, begin, end, position, positions, codes, units, copy, out);
        else
            answer = 1;
    }
    for (size_t row = begin; row < end && answer == 0; row++)
        out[row] *= half_value(matrix->scales + 2 * row);
    free(books);
    free(table);
    free(codes);
    free(copy);
    return answer;
}

int multiply_rows_int8(int isa, const struct matrix *matrix, const float *x, size_t begin, size_t end, float *out,
                       size_t *block)
{
    fenv_t callers;
    floats_begin(&callers);
    int answer = multiply(isa, matrix, x, begin, end, out, block);
    floats_end(&callers);
    return answer;
}
