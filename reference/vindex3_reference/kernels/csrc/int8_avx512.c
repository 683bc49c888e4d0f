/* Products through tables of codes, with byte permutations of AVX-512: 64 rows at once. */
#include "int8.h"

#ifdef X86
TARGET_AVX512 void int8_codes_avx512(const float *table, size_t positions, float unit, uint8_t *codes)
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
TARGET_AVX512 INLINE void indices_avx512(const uint8_t *runs, bool planar, __m512i index[4])
{
    const __m512i a = _mm512_loadu_si512(runs), b = _mm512_loadu_si512(runs + 64), c = _mm512_loadu_si512(runs + 128);
    __m512i byte[3] = {a, b, c};
    for (int k = 0; k < 3 && !planar; k++) {
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

TARGET_AVX512 INLINE void tile_avx512(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes,
                                     const float *units, size_t positions, float *sums)
{
    for (size_t position = 0; position < positions; position += BLOCK, units++) {
        size_t count = positions - position < BLOCK ? positions - position : BLOCK;
        __m512i both = _mm512_setzero_si512(), odd = both;
        for (size_t at = 0; at < count; at++, runs += step) {
            __m512i index[4];
            indices_avx512(runs, planar, index);
            for (unsigned stage = 0; stage < PACKED_STAGES; stage++, codes += PACKED_ENTRIES) {
                __m512i found = _mm512_permutexvar_epi8(index[stage], _mm512_load_si512(codes));
                both = _mm512_add_epi16(both, found);
                odd = _mm512_add_epi16(odd, _mm512_srli_epi16(found, 8));
            }
        }
        finish_avx512(both, odd, count, *units, sums);
    }
}

TARGET_AVX512 void int8_tile_avx512(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes,
                                    const float *units, size_t positions, float *sums)
{
    if (planar)
        tile_avx512(runs, step, true, codes, units, positions, sums);
    else
        tile_avx512(runs, step, false, codes, units, positions, sums);
}
#endif
