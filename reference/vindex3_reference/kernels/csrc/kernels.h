/* What the sources of the kernels share. */
#ifndef VINDEX3_KERNELS_H
#define VINDEX3_KERNELS_H

#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define X86 1
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARM 1
#include <arm_neon.h>
#endif

#include "interface.h"

enum isa { SCALAR, CLMUL, AVX2, AVX512, ARMCRC, NEON, ISAS };

#define INLINE static inline __attribute__((always_inline))
#define TARGET_CLMUL __attribute__((target("pclmul,sse4.1")))
#define TARGET_AVX2 __attribute__((target("avx2,f16c")))
#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,vpclmulqdq,pclmul")))

/* Whether this machine runs the instructions of a variant. */
bool isa_present(int isa);

/* Whether a kernel was built with a variant. */
bool crc32_built(int isa);
bool decode_built(int isa);
bool multiply_built(int isa);
bool dequantise_built(int isa);
bool half_to_float_built(int isa);

/* Rounding to nearest, subnormals kept, whatever the caller's thread has; and the caller's state again. */
INLINE void floats_begin(fenv_t *callers)
{
    fegetenv(callers);
    fesetenv(FE_DFL_ENV);
}

INLINE void floats_end(const fenv_t *callers)
{
    fesetenv(callers);
}

/* The value of a half, exactly. */
INLINE float half_value(const uint8_t *half)
{
    uint32_t sign = (uint32_t)(half[1] & 0x80) << 24;
    uint32_t exponent = half[1] >> 2 & 31;
    uint32_t fraction = (uint32_t)(half[1] & 3) << 8 | half[0];
    uint32_t bits;
    if (exponent == 0) {
        float magnitude = (float)fraction * 0x1p-24f;
        memcpy(&bits, &magnitude, sizeof bits);
    } else {
        bits = (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
    }
    bits |= sign;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
