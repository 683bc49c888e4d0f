/* Products through tables of 8-bit codes, for packed indices (section 7).
 *
 * A block of 32 positions has one unit, its largest table value over 127, and codes in that unit. The codes
 * of 64 rows are added exactly in words of 16 bits, where 32 positions of 4 stages fit; then the sum of each
 * row times the unit is added to the row in floats. Rows that do not lie 64 side by side are copied so.
 */
#include "vq.h"

#include <float.h>
#include <stdlib.h>

#define BLOCK 32
#define TILE 64
#define TILE_BYTES (TILE * PACKED_BYTES)
#define DIM 8
#define VALUES (PACKED_STAGES * PACKED_ENTRIES)
#define AT_ONCE 1024
#define LARGEST 127

void multiply_table(int isa, const float *books, unsigned stages, unsigned dim, unsigned width, const float *x,
                    size_t positions, float *tables);

/* The largest magnitude of a block's table; what is not finite passes for larger than any number. */
typedef float largest_function(const float *table, size_t positions);

/* Codes of one block; `unit` is not 0. */
typedef void codes_function(const float *table, size_t positions, float unit, uint8_t *codes);

/* For 64 rows, `step` bytes a position: adds to `sums` what each block of the positions gives. */
typedef void tile_function(const uint8_t *runs, size_t step, const uint8_t *codes, const float *units,
                           size_t positions, float *sums);

INLINE float magnitude(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

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

static void tile_scalar(const uint8_t *runs, size_t step, const uint8_t *codes, const float *units, size_t positions,
                        float *sums)
{
    for (size_t position = 0; position < positions; position += BLOCK, units++) {
        int32_t total[TILE] = {0};
        size_t end = positions - position < BLOCK ? positions : position + BLOCK;
        for (size_t at = position; at < end; at++, runs += step, codes += VALUES)
            for (size_t row = 0; row < TILE; row++) {
                uint32_t bits = packed_bits(runs + PACKED_BYTES * row);
                for (unsigned stage = 0; stage < PACKED_STAGES; stage++)
                    total[row] += (int8_t)codes[stage * PACKED_ENTRIES + (bits >> 6 * stage & 63)];
            }
        for (size_t row = 0; row < TILE; row++)
            sums[row] += (float)total[row] * *units;
    }
}

#ifdef X86
TARGET_AVX2 static float largest_avx2(const float *table, size_t positions)
{
    const __m256i magnitudes = _mm256_set1_epi32(INT32_MAX);
    __m256i largest[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    for (size_t k = 0; k < positions * VALUES; k += 16)
        for (int j = 0; j < 2; j++) {
            __m256i eight = _mm256_and_si256(_mm256_load_si256((const __m256i *)(table + k + 8 * j)), magnitudes);
            largest[j] = _mm256_max_epu32(largest[j], eight);
        }
    uint32_t lane[8], most = 0;
    _mm256_storeu_si256((__m256i *)lane, _mm256_max_epu32(largest[0], largest[1]));
    for (int k = 0; k < 8; k++)
        most = lane[k] > most ? lane[k] : most;
    return magnitude(most);
}

/* Codes plus 128, so that they are added without signs. A stage is four tables of 16 bytes, each but the
 * first xor the one before: an index below a table's first one finds 0 there, since its top bit is then set. */
TARGET_AVX2 static void codes_avx2(const float *table, size_t positions, float unit, uint8_t *codes)
{
    const __m256 divisor = _mm256_set1_ps(unit), most = _mm256_set1_ps(LARGEST), least = _mm256_set1_ps(-LARGEST);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i bias = _mm256_set1_epi8(-128);
    for (size_t stage = 0; stage < positions * PACKED_STAGES; stage++, codes += PACKED_ENTRIES) {
        __m128i before = _mm_setzero_si128();
        for (unsigned half = 0; half < 2; half++, table += 32) {
            __m256i quarter[4];
            for (int k = 0; k < 4; k++) {
                __m256 code = _mm256_div_ps(_mm256_load_ps(table + 8 * k), divisor);
                quarter[k] = _mm256_cvtps_epi32(_mm256_max_ps(_mm256_min_ps(code, most), least));
            }
            __m256i words = _mm256_packs_epi32(quarter[0], quarter[1]), more = _mm256_packs_epi32(quarter[2], quarter[3]);
            __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(words, more), order);
            bytes = _mm256_xor_si256(bytes, bias);
            __m128i low = _mm256_castsi256_si128(bytes), high = _mm256_extracti128_si256(bytes, 1);
            _mm_store_si128((__m128i *)codes + 2 * half, _mm_xor_si128(low, before));
            _mm_store_si128((__m128i *)codes + 2 * half + 1, _mm_xor_si128(high, low));
            before = high;
        }
    }
}

TARGET_AVX2 INLINE __m256i two(const uint8_t *first, const uint8_t *second)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)first)),
                                   _mm_loadu_si128((const __m128i *)second), 1);
}

TARGET_AVX2 INLINE __m256i repeated(const char bytes[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/* The four indices of 32 rows from their 96 bytes. */
TARGET_AVX2 INLINE void indices_avx2(const uint8_t *runs, __m256i index[4])
{
    static const char second[16] = {0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0};
    static const char third[16] = {0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0};
    static const char order[3][16] = {{0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13},
                                      {1, 4, 7, 10, 13, 0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14},
                                      {2, 5, 8, 11, 14, 1, 4, 7, 10, 13, 0, 3, 6, 9, 12, 15}};
    const __m256i at2 = repeated(second), at1 = repeated(third);
    const __m256i a = two(runs, runs + 48), b = two(runs + 16, runs + 64), c = two(runs + 32, runs + 80);
    /* of 48 bytes every third one stands at a place of its own in the three parts */
    __m256i one = _mm256_blendv_epi8(_mm256_blendv_epi8(a, b, at2), c, at1);
    __m256i twos = _mm256_blendv_epi8(_mm256_blendv_epi8(b, c, at2), a, at1);
    __m256i three = _mm256_blendv_epi8(_mm256_blendv_epi8(c, a, at2), b, at1);
    one = _mm256_shuffle_epi8(one, repeated(order[0]));
    twos = _mm256_shuffle_epi8(twos, repeated(order[1]));
    three = _mm256_shuffle_epi8(three, repeated(order[2]));
    const __m256i low2 = _mm256_set1_epi8(3), low4 = _mm256_set1_epi8(15), low6 = _mm256_set1_epi8(63);
    index[0] = _mm256_and_si256(one, low6);
    index[1] = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(one, 6), low2),
                               _mm256_slli_epi16(_mm256_and_si256(twos, low4), 2));
    index[2] = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(twos, 4), low4),
                               _mm256_slli_epi16(_mm256_and_si256(three, low2), 4));
    index[3] = _mm256_and_si256(_mm256_srli_epi16(three, 2), low6);
}

/* What a stage's codes give for 32 indices. */
TARGET_AVX2 INLINE __m256i found_avx2(const uint8_t *codes, __m256i index)
{
    __m256i found = _mm256_setzero_si256();
    for (int k = 0; k < 4; k++) {
        __m256i table = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)codes + k));
        found = _mm256_xor_si256(found, _mm256_shuffle_epi8(table, _mm256_sub_epi8(index, _mm256_set1_epi8((char)(16 * k)))));
    }
    return found;
}

TARGET_AVX2 INLINE void add_avx2(float *sums, __m128i words, __m256 unit)
{
    __m256 total = _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(words));
    _mm256_storeu_ps(sums, _mm256_add_ps(_mm256_loadu_ps(sums), _mm256_mul_ps(total, unit)));
}

/* 32 rows: the sums of even bytes, and of all with the odd ones' share in the upper half of the word. */
TARGET_AVX2 INLINE void finish_avx2(__m256i both, __m256i odd, size_t positions, float unit, float *sums)
{
    const __m256i bias = _mm256_set1_epi16((short)(positions * PACKED_STAGES * 128));
    __m256i even = _mm256_sub_epi16(_mm256_sub_epi16(both, _mm256_slli_epi16(odd, 8)), bias);
    odd = _mm256_sub_epi16(odd, bias);
    __m256i low = _mm256_unpacklo_epi16(even, odd), high = _mm256_unpackhi_epi16(even, odd);
    const __m256 units = _mm256_set1_ps(unit);
    add_avx2(sums, _mm256_castsi256_si128(low), units);
    add_avx2(sums + 8, _mm256_castsi256_si128(high), units);
    add_avx2(sums + 16, _mm256_extracti128_si256(low, 1), units);
    add_avx2(sums + 24, _mm256_extracti128_si256(high, 1), units);
}

TARGET_AVX2 static void tile_avx2(const uint8_t *runs, size_t step, const uint8_t *codes, const float *units,
                                  size_t positions, float *sums)
{
    for (size_t position = 0; position < positions; position += BLOCK, units++) {
        size_t count = positions - position < BLOCK ? positions - position : BLOCK;
        for (unsigned half = 0; half < 2; half++) {
            const uint8_t *run = runs + half * TILE_BYTES / 2, *code = codes;
            __m256i both = _mm256_setzero_si256(), odd = both;
            for (size_t at = 0; at < count; at++, run += step) {
                __m256i index[4];
                indices_avx2(run, index);
                for (unsigned stage = 0; stage < PACKED_STAGES; stage++, code += PACKED_ENTRIES) {
                    __m256i found = found_avx2(code, index[stage]);
                    both = _mm256_add_epi16(both, found);
                    odd = _mm256_add_epi16(odd, _mm256_srli_epi16(found, 8));
                }
            }
            finish_avx2(both, odd, count, *units, sums + 32 * half);
        }
        runs += count * step;
        codes += count * VALUES;
    }
}

TARGET_AVX512 static void codes_avx512(const float *table, size_t positions, float unit, uint8_t *codes)
{
    const __m512 divisor = _mm512_set1_ps(unit), most = _mm512_set1_ps(LARGEST), least = _mm512_set1_ps(-LARGEST);
    const __m128i bias = _mm_set1_epi8(-128);
    for (size_t k = 0; k < positions * VALUES; k += 16) {
        __m512 code = _mm512_div_ps(_mm512_load_ps(table + k), divisor);
        __m512i whole = _mm512_cvtps_epi32(_mm512_max_ps(_mm512_min_ps(code, most), least));
        _mm_store_si128((__m128i *)(codes + k), _mm_xor_si128(_mm512_cvtepi32_epi8(whole), bias));
    }
}

/* Where the bytes of each plane stand among the 192 of 64 rows. Two registers hold the first 128, a third one
 * the others: those of the rows that FROM_THIRD says. */
static uint8_t place[PACKED_BYTES][TILE];

__attribute__((constructor)) static void fill_places(void)
{
    for (int plane = 0; plane < PACKED_BYTES; plane++)
        for (int row = 0; row < TILE; row++)
            place[plane][row] = (uint8_t)(PACKED_BYTES * row + plane);
}

#define FROM_THIRD(plane) (~(__mmask64)0 << (128 - (plane) + PACKED_BYTES - 1) / PACKED_BYTES)

/* The four indices of 64 rows from their 192 bytes; the two upper bits of each are anything. */
TARGET_AVX512 INLINE void indices_avx512(const uint8_t *runs, __m512i index[4])
{
    const __m512i a = _mm512_loadu_si512(runs), b = _mm512_loadu_si512(runs + 64), c = _mm512_loadu_si512(runs + 128);
    __m512i byte[3];
    for (int k = 0; k < 3; k++) {
        const __m512i places = _mm512_loadu_si512(place[k]);
        byte[k] = _mm512_permutex2var_epi8(a, places, b);
        byte[k] = _mm512_mask_permutexvar_epi8(byte[k], FROM_THIRD(k), places, c);
    }
    const __m512i low2 = _mm512_set1_epi8(3), low4 = _mm512_set1_epi8(15);
    const int chosen = 0xCA; /* bits of the second where the first has ones, else of the third */
    index[0] = byte[0];
    index[1] = _mm512_ternarylogic_epi64(low2, _mm512_srli_epi16(byte[0], 6), _mm512_slli_epi16(byte[1], 2), chosen);
    index[2] = _mm512_ternarylogic_epi64(low4, _mm512_srli_epi16(byte[1], 4), _mm512_slli_epi16(byte[2], 4), chosen);
    index[3] = _mm512_srli_epi16(byte[2], 2);
}

TARGET_AVX512 INLINE void add_avx512(float *sums, __m256i words, __m512 unit)
{
    __m512 total = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(words));
    _mm512_storeu_ps(sums, _mm512_add_ps(_mm512_loadu_ps(sums), _mm512_mul_ps(total, unit)));
}

TARGET_AVX512 INLINE void finish_avx512(__m512i both, __m512i odd, size_t positions, float unit, float *sums)
{
    const __m512i bias = _mm512_set1_epi16((short)(positions * PACKED_STAGES * 128));
    const __m512i low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    __m512i even = _mm512_sub_epi16(_mm512_sub_epi16(both, _mm512_slli_epi16(odd, 8)), bias);
    odd = _mm512_sub_epi16(odd, bias);
    __m512i left = _mm512_unpacklo_epi16(even, odd), right = _mm512_unpackhi_epi16(even, odd);
    __m512i first = _mm512_permutex2var_epi64(left, low, right), second = _mm512_permutex2var_epi64(left, high, right);
    const __m512 units = _mm512_set1_ps(unit);
    add_avx512(sums, _mm512_castsi512_si256(first), units);
    add_avx512(sums + 16, _mm512_extracti64x4_epi64(first, 1), units);
    add_avx512(sums + 32, _mm512_castsi512_si256(second), units);
    add_avx512(sums + 48, _mm512_extracti64x4_epi64(second, 1), units);
}

TARGET_AVX512 static void tile_avx512(const uint8_t *runs, size_t step, const uint8_t *codes, const float *units,
                                      size_t positions, float *sums)
{
    for (size_t position = 0; position < positions; position += BLOCK, units++) {
        size_t count = positions - position < BLOCK ? positions - position : BLOCK;
        __m512i both = _mm512_setzero_si512(), odd = both;
        for (size_t at = 0; at < count; at++, runs += step) {
            __m512i index[4];
            indices_avx512(runs, index);
            for (unsigned stage = 0; stage < PACKED_STAGES; stage++, codes += PACKED_ENTRIES) {
                __m512i found = _mm512_permutexvar_epi8(index[stage], _mm512_load_si512(codes));
                both = _mm512_add_epi16(both, found);
                odd = _mm512_add_epi16(odd, _mm512_srli_epi16(found, 8));
            }
        }
        finish_avx512(both, odd, count, *units, sums);
    }
}
#endif

#ifdef ARM
static float largest_neon(const float *table, size_t positions)
{
    uint32x4_t largest = vdupq_n_u32(0);
    for (size_t k = 0; k < positions * VALUES; k += 4)
        largest = vmaxq_u32(largest, vandq_u32(vreinterpretq_u32_f32(vld1q_f32(table + k)), vdupq_n_u32(INT32_MAX)));
    return magnitude(vmaxvq_u32(largest));
}

static void codes_neon(const float *table, size_t positions, float unit, uint8_t *codes)
{
    const float32x4_t divisor = vdupq_n_f32(unit), most = vdupq_n_f32(LARGEST), least = vdupq_n_f32(-LARGEST);
    for (size_t k = 0; k < positions * VALUES; k += 8) {
        int16x4_t half[2];
        for (int j = 0; j < 2; j++) {
            float32x4_t code = vdivq_f32(vld1q_f32(table + k + 4 * j), divisor);
            half[j] = vmovn_s32(vcvtnq_s32_f32(vmaxq_f32(vminq_f32(code, most), least)));
        }
        vst1_s8((int8_t *)codes + k, vmovn_s16(vcombine_s16(half[0], half[1])));
    }
}

INLINE void add_neon(float *sums, int16x4_t words, float unit)
{
    float32x4_t total = vcvtq_f32_s32(vmovl_s16(words));
    vst1q_f32(sums, vaddq_f32(vld1q_f32(sums), vmulq_n_f32(total, unit)));
}

/* 16 rows over the positions of one block. */
INLINE void rows_neon(const uint8_t *runs, size_t step, const uint8_t *codes, size_t positions, float unit, float *sums)
{
    int16x8_t low = vdupq_n_s16(0), high = low;
    for (; positions--; runs += step) {
        const uint8x16x3_t byte = vld3q_u8(runs);
        const uint8x16_t index[PACKED_STAGES] = {
            vandq_u8(byte.val[0], vdupq_n_u8(63)),
            vandq_u8(vsliq_n_u8(vshrq_n_u8(byte.val[0], 6), byte.val[1], 2), vdupq_n_u8(63)),
            vandq_u8(vsliq_n_u8(vshrq_n_u8(byte.val[1], 4), byte.val[2], 4), vdupq_n_u8(63)),
            vshrq_n_u8(byte.val[2], 2),
        };
        for (unsigned stage = 0; stage < PACKED_STAGES; stage++, codes += PACKED_ENTRIES) {
            int8x16_t found = vreinterpretq_s8_u8(vqtbl4q_u8(vld1q_u8_x4(codes), index[stage]));
            low = vaddw_s8(low, vget_low_s8(found));
            high = vaddw_high_s8(high, found);
        }
    }
    add_neon(sums, vget_low_s16(low), unit);
    add_neon(sums + 4, vget_high_s16(low), unit);
    add_neon(sums + 8, vget_low_s16(high), unit);
    add_neon(sums + 12, vget_high_s16(high), unit);
}

static void tile_neon(const uint8_t *runs, size_t step, const uint8_t *codes, const float *units, size_t positions,
                      float *sums)
{
    for (size_t position = 0; position < positions; position += BLOCK, units++) {
        size_t count = positions - position < BLOCK ? positions - position : BLOCK;
        for (size_t row = 0; row < TILE; row += 16)
            rows_neon(runs + PACKED_BYTES * row, step, codes, count, *units, sums + row);
        runs += count * step;
        codes += count * VALUES;
    }
}
#endif

static const struct {
    largest_function *largest;
    codes_function *codes;
    tile_function *tile;
} variants[ISAS] = {
    [SCALAR] = {largest_scalar, codes_scalar, tile_scalar},
#ifdef X86
    [AVX2] = {largest_avx2, codes_avx2, tile_avx2},
    [AVX512] = {largest_avx2, codes_avx512, tile_avx512},
#endif
#ifdef ARM
    [NEON] = {largest_neon, codes_neon, tile_neon},
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
        variants[isa].tile(runs, step, codes, units, positions, sums);
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
