/* Products through tables of codes, with byte shuffles of AVX2: 32 rows at once. */
#include "int8.h"

#ifdef X86
TARGET_AVX2 float int8_largest_avx2(const float *table, size_t positions)
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
TARGET_AVX2 void int8_codes_avx2(const float *table, size_t positions, float unit, uint8_t *codes)
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

/* The bytes of 32 rows that stand together, as three planes. */
TARGET_AVX2 INLINE void planes_avx2(const uint8_t *runs, __m256i byte[3])
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
    byte[0] = _mm256_shuffle_epi8(one, repeated(order[0]));
    byte[1] = _mm256_shuffle_epi8(twos, repeated(order[1]));
    byte[2] = _mm256_shuffle_epi8(three, repeated(order[2]));
}

/* The four indices of 32 rows from their 96 bytes. */
TARGET_AVX2 INLINE void indices_avx2(const uint8_t *runs, bool planar, __m256i index[4])
{
    __m256i byte[3];
    if (planar)
        for (int k = 0; k < 3; k++)
            byte[k] = _mm256_loadu_si256((const __m256i *)(runs + TILE * k));
    else
        planes_avx2(runs, byte);
    const __m256i low2 = _mm256_set1_epi8(3), low4 = _mm256_set1_epi8(15), low6 = _mm256_set1_epi8(63);
    index[0] = _mm256_and_si256(byte[0], low6);
    index[1] = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(byte[0], 6), low2),
                               _mm256_slli_epi16(_mm256_and_si256(byte[1], low4), 2));
    index[2] = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(byte[1], 4), low4),
                               _mm256_slli_epi16(_mm256_and_si256(byte[2], low2), 4));
    index[3] = _mm256_and_si256(_mm256_srli_epi16(byte[2], 2), low6);
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

TARGET_AVX2 INLINE void tile_avx2(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes,
                                 const float *units, size_t positions, float *sums)
{
    for (size_t position = 0; position < positions; position += BLOCK, units++) {
        size_t count = positions - position < BLOCK ? positions - position : BLOCK;
        for (unsigned half = 0; half < 2; half++) {
            const uint8_t *run = runs + half * (planar ? TILE : TILE_BYTES) / 2, *code = codes;
            __m256i both = _mm256_setzero_si256(), odd = both;
            for (size_t at = 0; at < count; at++, run += step) {
                __m256i index[4];
                indices_avx2(run, planar, index);
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

TARGET_AVX2 void int8_tile_avx2(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes, const float *units,
                                size_t positions, float *sums)
{
    if (planar)
        tile_avx2(runs, step, true, codes, units, positions, sums);
    else
        tile_avx2(runs, step, false, codes, units, positions, sums);
}
#endif
