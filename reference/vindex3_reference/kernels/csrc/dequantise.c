/* Codes of 8, 4 and 3 bits, each times the scale of its group (section 8). */
#include "kernels.h"

enum format { Q8G = 2, Q4G = 3, Q3G = 7 };

INLINE size_t row_bytes(enum format format, size_t codes)
{
    switch (format) {
    case Q8G:
        return codes;
    case Q4G:
        return codes / 2;
    default:
        return (3 * codes + 7) / 8 + 1;
    }
}

INLINE int code(enum format format, const uint8_t *row, size_t column)
{
    switch (format) {
    case Q8G:
        return (int8_t)row[column];
    case Q4G:
        return (row[column / 2] >> 4 * (column % 2) & 15) - 8;
    default: { /* the guard byte lets the last code read its neighbour */
        size_t bit = 3 * column;
        return ((row[bit / 8] | row[bit / 8 + 1] << 8) >> bit % 8 & 7) - 4;
    }
    }
}

INLINE void rows_of(enum format format, const uint8_t *codes, const uint8_t *scales, size_t rows, size_t columns,
                    size_t group, float *out)
{
    size_t groups = (columns + group - 1) / group, stride = row_bytes(format, groups * group);
    for (; rows--; codes += stride)
        for (size_t begin = 0; begin < columns; begin += group, scales += 2) {
            float scale = half_value(scales);
            size_t end = begin + (columns - begin < group ? columns - begin : group);
            for (size_t column = begin; column < end; column++)
                *out++ = scale * (float)code(format, codes, column);
        }
}

static void dequantise_scalar(enum format format, const uint8_t *codes, const uint8_t *scales, size_t rows,
                              size_t columns, size_t group, float *out)
{
    switch (format) {
    case Q8G:
        rows_of(Q8G, codes, scales, rows, columns, group, out);
        break;
    case Q4G:
        rows_of(Q4G, codes, scales, rows, columns, group, out);
        break;
    default:
        rows_of(Q3G, codes, scales, rows, columns, group, out);
    }
}

bool dequantise_built(int isa)
{
    return isa == SCALAR;
}

void dequantise(int isa, int format, const uint8_t *codes, const uint8_t *scales, size_t rows, size_t columns,
                size_t group, float *out)
{
    (void)isa;
    fenv_t callers;
    floats_begin(&callers);
    dequantise_scalar((enum format)format, codes, scales, rows, columns, group, out);
    floats_end(&callers);
}
