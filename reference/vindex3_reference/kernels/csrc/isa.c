/* Which variants there are: a kernel has a variant where it was built and the machine runs it. */
#include "kernels.h"

#ifdef X86
#include <cpuid.h>

static bool converts_halves(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

#if defined(ARM) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

static const char *const names[ISAS] = {
    [SCALAR] = "scalar", [CLMUL] = "clmul", [AVX2] = "avx2", [AVX512] = "avx512", [ARMCRC] = "armcrc", [NEON] = "neon",
};

const char *isa_name(int isa)
{
    return isa >= 0 && isa < ISAS ? names[isa] : NULL;
}

bool isa_present(int isa)
{
    switch (isa) {
    case SCALAR:
        return true;
#ifdef X86
    case CLMUL:
        __builtin_cpu_init();
        return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
    case AVX2:
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && converts_halves();
    case AVX512:
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("vpclmulqdq");
#endif
#ifdef ARM
    case NEON:
        return true;
#ifdef __linux__
    case ARMCRC:
        return getauxval(AT_HWCAP) & HWCAP_CRC32;
#endif
#endif
    default:
        return false;
    }
}

int kernel_has(int kernel, int isa)
{
    static bool (*const built[])(int) = {
        [KERNEL_CRC32] = crc32_built,
        [KERNEL_DECODE] = decode_built,
        [KERNEL_MULTIPLY] = multiply_built,
        [KERNEL_DEQUANTISED] = dequantise_built,
        [KERNEL_HALF_TO_FLOAT] = half_to_float_built,
    };
    return isa >= 0 && isa < ISAS && built[kernel](isa) && isa_present(isa);
}
