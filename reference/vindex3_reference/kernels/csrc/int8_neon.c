/* Products through tables of codes, with the table lookups of NEON: 16 rows at once. */
#include "int8.h"

#ifdef ARM
float int8_largest_neon(const float *table, size_t positions)
{
    uint32x4_t largest = vdupq_n_u32(0);
    for (size_t k = 0; k < positions * VALUES; k += 4)
        largest = vmaxq_u32(largest, vandq_u32(vreinterpretq_u32_f32(vld1q_f32(table + k)), vdupq_n_u32(INT32_MAX)));
    return magnitude(vmaxvq_u32(largest));
}

void int8_codes_neon(const float *table, size_t positions, float unit, uint8_t *codes)
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

INLINE uint8x16x3_t planes_neon(const uint8_t *runs, bool planar)
{
    if (!planar)
        return vld3q_u8(runs);
    return (uint8x16x3_t){{vld1q_u8(runs), vld1q_u8(runs + TILE), vld1q_u8(runs + 2 * TILE)}};
}

/* 16 rows over the positions of one block. */
INLINE void rows_neon(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes, size_t positions,
                      float unit, float *sums)
{
    int16x8_t low = vdupq_n_s16(0), high = low;
    for (; positions--; runs += step) {
        const uint8x16x3_t byte = planes_neon(runs, planar);
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

INLINE void tile_neon(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes, const float *units,
                      size_t positions, float *sums)
{
    for (size_t position = 0; position < positions; position += BLOCK, units++) {
        size_t count = positions - position < BLOCK ? positions - position : BLOCK;
        for (size_t row = 0; row < TILE; row += 16)
            rows_neon(runs + (planar ? 1 : PACKED_BYTES) * row, step, planar, codes, count, *units, sums + row);
        runs += count * step;
        codes += count * VALUES;
    }
}

void int8_tile_neon(const uint8_t *runs, size_t step, bool planar, const uint8_t *codes, const float *units,
                    size_t positions, float *sums)
{
    if (planar)
        tile_neon(runs, step, true, codes, units, positions, sums);
    else
        tile_neon(runs, step, false, codes, units, positions, sums);
}
#endif
