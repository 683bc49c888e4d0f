/* Halves as floats: exact, so that variants differ in speed alone. */
#include "kernels.h"

typedef void half_function(const uint8_t *halves, size_t count, float *out);

static void half_scalar(const uint8_t *halves, size_t count, float *out)
{
    for (size_t k = 0; k < count; k++)
        out[k] = half_value(halves + 2 * k);
}

#ifdef X86
TARGET_AVX2 static void half_avx2(const uint8_t *halves, size_t count, float *out)
{
    size_t k = 0;
    for (; k + 8 <= count; k += 8)
        _mm256_storeu_ps(out + k, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(halves + 2 * k))));
    half_scalar(halves + 2 * k, count - k, out + k);
}
#endif

#ifdef ARM
static void half_neon(const uint8_t *halves, size_t count, float *out)
{
    size_t k = 0;
    for (; k + 4 <= count; k += 4)
        vst1q_f32(out + k, vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(halves + 2 * k))));
    half_scalar(halves + 2 * k, count - k, out + k);
}
#endif

static half_function *const variants[ISAS] = {
    [SCALAR] = half_scalar,
#ifdef X86
    [AVX2] = half_avx2,
#endif
#ifdef ARM
    [NEON] = half_neon,
#endif
};

bool half_to_float_built(int isa)
{
    return variants[isa];
}

void half_to_float(int isa, const uint8_t *halves, size_t count, float *out)
{
    fenv_t callers;
    floats_begin(&callers);
    variants[isa](halves, count, out);
    floats_end(&callers);
}
