/* Products with a vector through tables of floats (section 7).
 *
 * A table holds, for each position, what every entry of every book gives with that part of the vector. A few
 * positions are tabled at once, so that the tables stay in cache, then every row adds what its indices name;
 * the sums of the rows wait in `out`, and the order of additions within a row is that of the positions.
 */
#include "vq.h"

#include <stdlib.h>

#define LANES 16
#define TABLE_BYTES ((size_t)64 << 10)
#define TILE 64

typedef void table_function(const float *books, unsigned stages, unsigned dim, unsigned width, const float *x,
                            float *table);

static void table_scalar(const float *books, unsigned stages, unsigned dim, unsigned width, const float *x,
                         float *table)
{
    for (unsigned stage = 0; stage < stages; stage++, books += dim * width, table += width)
        for (unsigned entry = 0; entry < width; entry++) {
            float sum = 0.0f;
            for (unsigned d = 0; d < dim; d++)
                sum += x[d] * books[d * width + entry];
            table[entry] = sum;
        }
}

#ifdef X86
TARGET_AVX2 static void table_avx2(const float *books, unsigned stages, unsigned dim, unsigned width, const float *x,
                                   float *table)
{
    for (unsigned stage = 0; stage < stages; stage++, books += dim * width, table += width)
        for (unsigned entry = 0; entry < width; entry += 16) {
            __m256 low = _mm256_setzero_ps(), high = low;
            const float *element = books + entry;
            for (unsigned d = 0; d < dim; d++, element += width) {
                __m256 part = _mm256_set1_ps(x[d]);
                low = _mm256_add_ps(low, _mm256_mul_ps(part, _mm256_load_ps(element)));
                high = _mm256_add_ps(high, _mm256_mul_ps(part, _mm256_load_ps(element + 8)));
            }
            _mm256_store_ps(table + entry, low);
            _mm256_store_ps(table + entry + 8, high);
        }
}

TARGET_AVX512 static void table_avx512(const float *books, unsigned stages, unsigned dim, unsigned width,
                                       const float *x, float *table)
{
    for (unsigned stage = 0; stage < stages; stage++, books += dim * width, table += width)
        for (unsigned entry = 0; entry < width; entry += 16) {
            __m512 sum = _mm512_setzero_ps();
            const float *element = books + entry;
            for (unsigned d = 0; d < dim; d++, element += width)
                sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_set1_ps(x[d]), _mm512_load_ps(element)));
            _mm512_store_ps(table + entry, sum);
        }
}
#endif

#ifdef ARM
static void table_neon(const float *books, unsigned stages, unsigned dim, unsigned width, const float *x, float *table)
{
    for (unsigned stage = 0; stage < stages; stage++, books += dim * width, table += width)
        for (unsigned entry = 0; entry < width; entry += 8) {
            float32x4_t low = vdupq_n_f32(0.0f), high = low;
            const float *element = books + entry;
            for (unsigned d = 0; d < dim; d++, element += width) {
                low = vaddq_f32(low, vmulq_n_f32(vld1q_f32(element), x[d]));
                high = vaddq_f32(high, vmulq_n_f32(vld1q_f32(element + 4), x[d]));
            }
            vst1q_f32(table + entry, low);
            vst1q_f32(table + entry + 4, high);
        }
}
#endif

static table_function *const variants[ISAS] = {
    [SCALAR] = table_scalar,
#ifdef X86
    [AVX2] = table_avx2,
    [AVX512] = table_avx512,
#endif
#ifdef ARM
    [NEON] = table_neon,
#endif
};

bool multiply_built(int isa)
{
    return variants[isa];
}

void multiply_table(int isa, const float *books, unsigned stages, unsigned dim, unsigned width, const float *x,
                    size_t positions, float *tables)
{
    for (size_t position = 0; position < positions; position++, x += dim, tables += stages * width)
        variants[isa](books, stages, dim, width, x, tables);
}

/* Rows of which each starts `step` bytes behind the one before. */
INLINE void tile_at(const uint8_t *run, size_t step, size_t rows, const float *table, unsigned width, float *sums,
                    unsigned stages, bool packed)
{
    for (size_t row = 0; row < rows; row++, run += step) {
        unsigned index[MOST_STAGES] = {0};
        indices_of(run, stages, packed, index);
        float part = table[index[0]];
        for (unsigned stage = 1; stage < stages; stage++)
            part += table[stage * width + index[stage]];
        sums[row] += part;
    }
}

/* Rows from `begin` to `end`, which lie side by side or each behind the other, over some positions. */
INLINE void tile(const struct matrix *matrix, size_t begin, size_t end, size_t position, size_t positions,
                 const float *tables, unsigned width, float *sums, unsigned stages, bool packed)
{
    size_t run = run_bytes(matrix), step = matrix->block * run;
    size_t apart = matrix->block > 1 ? run : matrix->positions * run;
    const uint8_t *first = row_of(matrix, begin) + position * step;
    for (; positions--; first += step, tables += stages * width)
        tile_at(first, apart, end - begin, tables, width, sums + begin, stages, packed);
}

static void all_tiles(const struct matrix *matrix, size_t begin, size_t end, size_t position, size_t positions,
                      const float *tables, unsigned width, float *sums)
{
    while (begin < end) {
        size_t next = end - begin < TILE ? end : begin + TILE;
        size_t block_end = (begin / matrix->block + 1) * matrix->block;
        if (matrix->block > 1 && next > block_end)
            next = block_end;
        if (matrix->packed)
            tile(matrix, begin, next, position, positions, tables, PACKED_ENTRIES, sums, PACKED_STAGES, true);
        else if (matrix->stages == 3)
            tile(matrix, begin, next, position, positions, tables, width, sums, 3, false);
        else
            tile(matrix, begin, next, position, positions, tables, width, sums, matrix->stages, false);
        begin = next;
    }
}

static bool multiply(int isa, const struct matrix *matrix, const float *x, size_t begin, size_t end, float *out)
{
    unsigned width = (matrix->entries + LANES - 1) / LANES * LANES;
    size_t values = (size_t)matrix->stages * width, most = TABLE_BYTES / (values * sizeof(float));
    size_t at_once = most < matrix->positions ? most : matrix->positions;
    float *books = books_by_element(matrix, width), *tables = aligned((at_once * values + SLACK) * sizeof *tables);
    bool done = books && tables;
    if (done) {
        memset(tables, 0, (at_once * values + SLACK) * sizeof *tables);
        for (size_t row = begin; row < end; row++)
            out[row] = 0.0f;
        for (size_t position = 0; position < matrix->positions; position += at_once) {
            size_t left = matrix->positions - position, positions = left < at_once ? left : at_once;
            multiply_table(isa, books, matrix->stages, matrix->vec_dim, width, x + position * matrix->vec_dim,
                           positions, tables);
            all_tiles(matrix, begin, end, position, positions, tables, width, out);
        }
        for (size_t row = begin; row < end; row++)
            out[row] *= half_value(matrix->scales + 2 * row);
    }
    free(books);
    free(tables);
    return done;
}

int multiply_rows(int isa, const struct matrix *matrix, const float *x, size_t begin, size_t end, float *out)
{
    fenv_t callers;
    floats_begin(&callers);
    bool done = multiply(isa, matrix, x, begin, end, out);
    floats_end(&callers);
    return done ? 0 : -1;
}
