/* Weights from indices: for each stage, in order, an entry is added, then once multiplied (section 6). */
#include "vq.h"

#include <stdlib.h>

typedef void decode_function(const struct matrix *matrix, const float *books, size_t begin, size_t end, float *out);

/* The shapes that models have are compiled with their numbers; every other goes the general way. */
#define FOR_THE_SHAPE(rows, matrix, ...)                                                                            \
    do {                                                                                                            \
        if ((matrix)->packed)                                                                                       \
            rows(matrix, __VA_ARGS__, PACKED_STAGES, true, 8);                                                      \
        else if ((matrix)->stages == 3 && (matrix)->vec_dim == 8)                                                   \
            rows(matrix, __VA_ARGS__, 3, false, 8);                                                                 \
        else                                                                                                        \
            rows(matrix, __VA_ARGS__, (matrix)->stages, false, (matrix)->vec_dim);                                  \
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

INLINE void rows_scalar(const struct matrix *matrix, const float *books, size_t begin, size_t end, float *out,
                        unsigned stages, bool packed, unsigned dim)
{
    size_t step = matrix->block * run_bytes(matrix);
    for (size_t row = begin; row < end; row++) {
        const uint8_t *run = row_of(matrix, row);
        float scale = half_value(matrix->scales + 2 * row);
        for (size_t position = 0; position < matrix->positions; position++, run += step, out += dim) {
            const float *entry[MOST_STAGES];
            entries_of(matrix, books, run, stages, packed, dim, entry);
            elements(entry, stages, 0, dim, scale, out);
        }
    }
}

static void decode_scalar(const struct matrix *matrix, const float *books, size_t begin, size_t end, float *out)
{
    FOR_THE_SHAPE(rows_scalar, matrix, books, begin, end, out);
}

#ifdef X86
/* A result beyond the caches is written past them: what would be read first is overwritten anyway. */
#define STREAMED_FROM ((size_t)4 << 20)

TARGET_AVX2 INLINE void rows_avx2(const struct matrix *matrix, const float *books, size_t begin, size_t end,
                                  float *out, bool streamed, unsigned stages, bool packed, unsigned dim)
{
    size_t step = matrix->block * run_bytes(matrix);
    for (size_t row = begin; row < end; row++) {
        const uint8_t *run = row_of(matrix, row);
        float scale = half_value(matrix->scales + 2 * row);
        __m256 scales = _mm256_set1_ps(scale);
        for (size_t position = 0; position < matrix->positions; position++, run += step, out += dim) {
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
}

TARGET_AVX2 static void decode_avx2(const struct matrix *matrix, const float *books, size_t begin, size_t end,
                                    float *out)
{
    size_t bytes = (end - begin) * matrix->positions * matrix->vec_dim * sizeof *out;
    if (bytes >= STREAMED_FROM && matrix->vec_dim % 8 == 0 && (uintptr_t)out % sizeof(__m256) == 0) {
        FOR_THE_SHAPE(rows_avx2, matrix, books, begin, end, out, true);
        _mm_sfence();
    } else {
        FOR_THE_SHAPE(rows_avx2, matrix, books, begin, end, out, false);
    }
}
#endif

#ifdef ARM
INLINE void rows_neon(const struct matrix *matrix, const float *books, size_t begin, size_t end, float *out,
                      unsigned stages, bool packed, unsigned dim)
{
    size_t step = matrix->block * run_bytes(matrix);
    for (size_t row = begin; row < end; row++) {
        const uint8_t *run = row_of(matrix, row);
        float scale = half_value(matrix->scales + 2 * row);
        for (size_t position = 0; position < matrix->positions; position++, run += step, out += dim) {
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
}

static void decode_neon(const struct matrix *matrix, const float *books, size_t begin, size_t end, float *out)
{
    FOR_THE_SHAPE(rows_neon, matrix, books, begin, end, out);
}
#endif

static decode_function *const variants[ISAS] = {
    [SCALAR] = decode_scalar,
#ifdef X86
    [AVX2] = decode_avx2,
#endif
#ifdef ARM
    [NEON] = decode_neon,
#endif
};

bool decode_built(int isa)
{
    return variants[isa];
}

int decode_rows(int isa, const struct matrix *matrix, size_t begin, size_t end, float *out)
{
    fenv_t callers;
    floats_begin(&callers);
    float *books = books_by_entry(matrix);
    bool done = books;
    if (done)
        variants[isa](matrix, books, begin, end, out + begin * matrix->positions * matrix->vec_dim);
    free(books);
    floats_end(&callers);
    return done ? 0 : -1;
}
