/* Weights from indices: for each stage, in order, an entry is added, then once multiplied (section 6).
 *
 * A variant decodes a strip: some positions of one row. Rows that are stored side by side take turns strip by
 * strip, so that the cache lines in which their indices lie together are read once.
 */
#include "vq.h"

#include <stdlib.h>

#define STRIP 128

/* `run` is where the indices of the first position stand. */
typedef void strip_function(const struct matrix *matrix, const float *books, const uint8_t *run, size_t positions,
                            float scale, float *out);

/* The shapes that models have are compiled with their numbers; every other goes the general way. */
#define FOR_THE_SHAPE(strip, matrix, ...)                                                                           \
    do {                                                                                                            \
        if ((matrix)->packed)                                                                                       \
            strip(matrix, __VA_ARGS__, PACKED_STAGES, true, 8);                                                     \
        else if ((matrix)->stages == 3 && (matrix)->vec_dim == 8)                                                   \
            strip(matrix, __VA_ARGS__, 3, false, 8);                                                                \
        else                                                                                                        \
            strip(matrix, __VA_ARGS__, (matrix)->stages, false, (matrix)->vec_dim);                                 \
    } while (0)

/* The entries that a run names, one a stage. */
INLINE void entries_of(const struct matrix *matrix, const float *books, const uint8_t *run, unsigned stages,
                       bool packed, unsigned dim, const float *entry[MOST_STAGES])
{
    unsigned index[MOST_STAGES];
    size_t book = packed ? PACKED_ENTRIES * 8 : (size_t)matrix->entries * dim;
    indices_of(run, stages, packed, index);
    for (unsigned stage = 0; stage < stages; stage++)
        entry[stage] = books + stage * book + (size_t)index[stage] * dim;
}

INLINE void elements(const float *const entry[MOST_STAGES], unsigned stages, unsigned from, unsigned dim, float scale,
                     float *out)
{
    for (unsigned d = from; d < dim; d++) {
        float sum = entry[0][d];
        for (unsigned stage = 1; stage < stages; stage++)
            sum += entry[stage][d];
        out[d] = sum * scale;
    }
}

INLINE void strip_of_scalars(const struct matrix *matrix, const float *books, const uint8_t *run, size_t positions,
                             float scale, float *out, unsigned stages, bool packed, unsigned dim)
{
    size_t step = matrix->block * run_bytes(matrix);
    for (; positions--; run += step, out += dim) {
        const float *entry[MOST_STAGES];
        entries_of(matrix, books, run, stages, packed, dim, entry);
        elements(entry, stages, 0, dim, scale, out);
    }
}

static void strip_scalar(const struct matrix *matrix, const float *books, const uint8_t *run, size_t positions,
                         float scale, float *out)
{
    FOR_THE_SHAPE(strip_of_scalars, matrix, books, run, positions, scale, out);
}

#ifdef X86
/* A result beyond the caches is written past them: what would be read first is overwritten anyway. */
#define STREAMED_FROM ((size_t)4 << 20)

TARGET_AVX2 INLINE void strip_of_eights(const struct matrix *matrix, const float *books, const uint8_t *run,
                                        size_t positions, float scale, float *out, bool streamed, unsigned stages,
                                        bool packed, unsigned dim)
{
    size_t step = matrix->block * run_bytes(matrix);
    const __m256 scales = _mm256_set1_ps(scale);
    for (; positions--; run += step, out += dim) {
        const float *entry[MOST_STAGES];
        unsigned d = 0;
        entries_of(matrix, books, run, stages, packed, dim, entry);
        for (; d + 8 <= dim; d += 8) {
            __m256 sum = _mm256_loadu_ps(entry[0] + d);
            for (unsigned stage = 1; stage < stages; stage++)
                sum = _mm256_add_ps(sum, _mm256_loadu_ps(entry[stage] + d));
            sum = _mm256_mul_ps(sum, scales);
            if (streamed)
                _mm256_stream_ps(out + d, sum);
            else
                _mm256_storeu_ps(out + d, sum);
        }
        elements(entry, stages, d, dim, scale, out);
    }
}

TARGET_AVX2 static void strip_avx2(const struct matrix *matrix, const float *books, const uint8_t *run,
                                   size_t positions, float scale, float *out)
{
    size_t bytes = matrix->rows * matrix->positions * matrix->vec_dim * sizeof *out;
    if (bytes >= STREAMED_FROM && matrix->vec_dim % 8 == 0 && (uintptr_t)out % sizeof(__m256) == 0)
        FOR_THE_SHAPE(strip_of_eights, matrix, books, run, positions, scale, out, true);
    else
        FOR_THE_SHAPE(strip_of_eights, matrix, books, run, positions, scale, out, false);
}
#endif

#ifdef ARM
INLINE void strip_of_fours(const struct matrix *matrix, const float *books, const uint8_t *run, size_t positions,
                           float scale, float *out, unsigned stages, bool packed, unsigned dim)
{
    size_t step = matrix->block * run_bytes(matrix);
    for (; positions--; run += step, out += dim) {
        const float *entry[MOST_STAGES];
        unsigned d = 0;
        entries_of(matrix, books, run, stages, packed, dim, entry);
        for (; d + 4 <= dim; d += 4) {
            float32x4_t sum = vld1q_f32(entry[0] + d);
            for (unsigned stage = 1; stage < stages; stage++)
                sum = vaddq_f32(sum, vld1q_f32(entry[stage] + d));
            vst1q_f32(out + d, vmulq_n_f32(sum, scale));
        }
        elements(entry, stages, d, dim, scale, out);
    }
}

static void strip_neon(const struct matrix *matrix, const float *books, const uint8_t *run, size_t positions,
                       float scale, float *out)
{
    FOR_THE_SHAPE(strip_of_fours, matrix, books, run, positions, scale, out);
}
#endif

static strip_function *const variants[ISAS] = {
    [SCALAR] = strip_scalar,
#ifdef X86
    [AVX2] = strip_avx2,
#endif
#ifdef ARM
    [NEON] = strip_neon,
#endif
};

bool decode_built(int isa)
{
    return variants[isa];
}

static void decode(strip_function *strip, const struct matrix *matrix, const float *books, size_t begin, size_t end,
                   float *out)
{
    size_t step = matrix->block * run_bytes(matrix), dim = matrix->vec_dim, together;
    for (; begin < end; begin += together) {
        size_t in_block = matrix->block - begin % matrix->block;
        together = end - begin < in_block ? end - begin : in_block;
        for (size_t position = 0, positions; position < matrix->positions; position += positions) {
            size_t left = matrix->positions - position;
            positions = left < STRIP ? left : STRIP;
            for (size_t row = begin; row < begin + together; row++)
                strip(matrix, books, row_of(matrix, row) + position * step, positions,
                      half_value(matrix->scales + 2 * row), out + (row * matrix->positions + position) * dim);
        }
    }
#ifdef X86
    _mm_sfence(); /* what was streamed is there before this returns */
#endif
}

int decode_rows(int isa, const struct matrix *matrix, size_t begin, size_t end, float *out)
{
    fenv_t callers;
    floats_begin(&callers);
    float *books = books_by_entry(matrix);
    bool done = books;
    if (done)
        decode(variants[isa], matrix, books, begin, end, out);
    free(books);
    floats_end(&callers);
    return done ? 0 : -1;
}
