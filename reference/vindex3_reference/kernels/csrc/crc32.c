/* crc32 as zlib has it: reflected polynomial EDB88320, all bits inverted before and after (section 3.3).
 *
 * Folding variants keep the remainder of what was read as a polynomial of 128 bits a lane: its product with
 * x^n modulo the polynomial has the same remainder n bits later. What is left of the last lane is summed by
 * the portable variant as if it were 16 bytes of data, so that no other reduction is needed.
 */
#include "kernels.h"

#define POLYNOMIAL 0xEDB88320u
#define SLICES 16

typedef uint32_t crc32_function(uint32_t state, const uint8_t *data, size_t length);

static uint32_t slice[SLICES][256];

__attribute__((constructor)) static void fill_slices(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t state = byte;
        for (int bit = 0; bit < 8; bit++)
            state = state >> 1 ^ (state & 1 ? POLYNOMIAL : 0);
        slice[0][byte] = state;
    }
    for (int k = 1; k < SLICES; k++)
        for (int byte = 0; byte < 256; byte++)
            slice[k][byte] = slice[k - 1][byte] >> 8 ^ slice[0][slice[k - 1][byte] & 255];
}

INLINE uint32_t word(const uint8_t *data)
{
    return (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
}

INLINE uint32_t four_slices(uint32_t bits, int k)
{
    return slice[k + 3][bits & 255] ^ slice[k + 2][bits >> 8 & 255] ^ slice[k + 1][bits >> 16 & 255] ^
           slice[k][bits >> 24];
}

static uint32_t crc32_scalar(uint32_t state, const uint8_t *data, size_t length)
{
    for (; length >= SLICES; data += SLICES, length -= SLICES)
        state = four_slices(state ^ word(data), 12) ^ four_slices(word(data + 4), 8) ^
                four_slices(word(data + 8), 4) ^ four_slices(word(data + 12), 0);
    while (length--)
        state = state >> 8 ^ slice[0][(state ^ *data++) & 255];
    return state;
}

#ifdef X86
/* x^(n + 32) and x^(n - 32) modulo the polynomial, reflected, for lanes that are n bits apart. */
#define APART_128 0x0ccaa009e, 0x1751997d0
#define APART_512 0x1c6e41596, 0x154442bd4
#define APART_2048 0x1322d1430, 0x11542778a

TARGET_CLMUL INLINE __m128i folded(__m128i lane, __m128i apart, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(lane, apart, 0x00), high = _mm_clmulepi64_si128(lane, apart, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

TARGET_CLMUL INLINE __m128i load(const uint8_t *data)
{
    return _mm_loadu_si128((const __m128i *)data);
}

/* The four lanes as one, then what is left of the data. */
TARGET_CLMUL INLINE uint32_t finished(const __m128i lane[4], const uint8_t *data, size_t length)
{
    const __m128i apart = _mm_set_epi64x(APART_128);
    __m128i one = lane[0];
    for (int k = 1; k < 4; k++)
        one = folded(one, apart, lane[k]);
    for (; length >= 16; data += 16, length -= 16)
        one = folded(one, apart, load(data));
    uint8_t left[16];
    _mm_storeu_si128((__m128i *)left, one);
    return crc32_scalar(crc32_scalar(0, left, sizeof left), data, length);
}

TARGET_CLMUL static uint32_t crc32_clmul(uint32_t state, const uint8_t *data, size_t length)
{
    if (length < 64)
        return crc32_scalar(state, data, length);
    const __m128i apart = _mm_set_epi64x(APART_512);
    __m128i lane[4];
    for (int k = 0; k < 4; k++)
        lane[k] = load(data + 16 * k);
    lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int)state));
    for (data += 64, length -= 64; length >= 64; data += 64, length -= 64)
        for (int k = 0; k < 4; k++)
            lane[k] = folded(lane[k], apart, load(data + 16 * k));
    return finished(lane, data, length);
}

TARGET_AVX512 INLINE __m512i folded_wide(__m512i lanes, __m512i apart, __m512i next)
{
    __m512i low = _mm512_clmulepi64_epi128(lanes, apart, 0x00), high = _mm512_clmulepi64_epi128(lanes, apart, 0x11);
    return _mm512_ternarylogic_epi64(low, high, next, 0x96);
}

#define ALIGNED_FROM 65536

TARGET_AVX512 static uint32_t crc32_avx512(uint32_t state, const uint8_t *data, size_t length)
{
    if (length >= ALIGNED_FROM) { /* loads that cross cache lines cost more than the few bytes before them */
        size_t before = -(uintptr_t)data % 64;
        state = crc32_scalar(state, data, before);
        data += before;
        length -= before;
    }
    if (length < 256)
        return crc32_clmul(state, data, length);
    const __m512i far = _mm512_broadcast_i32x4(_mm_set_epi64x(APART_2048));
    const __m512i near = _mm512_broadcast_i32x4(_mm_set_epi64x(APART_512));
    __m512i lanes[4];
    for (int k = 0; k < 4; k++)
        lanes[k] = _mm512_loadu_si512(data + 64 * k);
    lanes[0] = _mm512_xor_si512(lanes[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)state)));
    for (data += 256, length -= 256; length >= 256; data += 256, length -= 256)
        for (int k = 0; k < 4; k++)
            lanes[k] = folded_wide(lanes[k], far, _mm512_loadu_si512(data + 64 * k));
    __m512i one = lanes[0];
    for (int k = 1; k < 4; k++)
        one = folded_wide(one, near, lanes[k]);
    for (; length >= 64; data += 64, length -= 64)
        one = folded_wide(one, near, _mm512_loadu_si512(data));
    __m128i lane[4];
    _mm512_storeu_si512(lane, one);
    return finished(lane, data, length);
}
#endif

#ifdef ARM
#pragma GCC push_options
#pragma GCC target("+crc")
#include <arm_acle.h>

static uint32_t crc32_armcrc(uint32_t state, const uint8_t *data, size_t length)
{
    for (; length >= 8; data += 8, length -= 8) {
        uint64_t eight;
        memcpy(&eight, data, sizeof eight);
        state = __crc32d(state, eight);
    }
    while (length--)
        state = __crc32b(state, *data++);
    return state;
}
#pragma GCC pop_options
#endif

static crc32_function *const variants[ISAS] = {
    [SCALAR] = crc32_scalar,
#ifdef X86
    [CLMUL] = crc32_clmul,
    [AVX512] = crc32_avx512,
#endif
#ifdef ARM
    [ARMCRC] = crc32_armcrc,
#endif
};

bool crc32_built(int isa)
{
    return variants[isa];
}

uint32_t crc32_of(int isa, uint32_t value, const uint8_t *data, size_t length)
{
    return ~variants[isa](~value, data, length);
}

void crc32_of_each(int isa, const uint8_t *const *data, const size_t *lengths, uint32_t *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        values[k] = crc32_of(isa, 0, data[k], lengths[k]);
}

void crc32_of_ranges(int isa, const uint8_t *data, const uint64_t *offsets, const uint64_t *lengths,
                     uint32_t *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        values[k] = crc32_of(isa, 0, data + offsets[k], lengths[k]);
}
