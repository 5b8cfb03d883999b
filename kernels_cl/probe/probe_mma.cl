// SPDX-License-Identifier: Apache-2.0
// A test with a known result for base/vendor.cl's matrix product: 32 work-items multiply 16 x 16 by 16 x 8 small whole
// numbers and add 1; the host compares. No local memory, no barrier.

// A whole number from -3 to 3 as a half.
static inline uint ww_probe_half(int value) {
    const uint size = abs(value);
    return (value < 0 ? 0x8000u : 0u) | (size == 0 ? 0u : size == 1 ? 0x3c00u : size == 2 ? 0x4000u : 0x4200u);
}

static inline uint2 ww_probe_four(uint row, uint first, int by_row, int by_place, int modulus) {
    uint half_bits[4];
    for (int i = 0; i < 4; i++)
        half_bits[i] = ww_probe_half((int)(row * by_row + (first + i) * by_place) % modulus - modulus / 2);
    return (uint2)(half_bits[0] | half_bits[1] << 16, half_bits[2] | half_bits[3] << 16);
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void ww_probe_mma(__global int *answers) {
    const uint lane = (uint)get_local_id(0), row = lane / 4, place = lane % 4 * 4, column = lane % 4 * 2;
    const uint2 a = ww_probe_four(row, place, 3, 5, 7), a8 = ww_probe_four(row + 8, place, 3, 5, 7);
    const uint2 b = ww_probe_four(row, place, 2, 3, 5);
    float sum[4] = {1, 1, 1, 1};
    ww_mma(sum, a, a8, b);
    answers[row * 8 + column] = (int)sum[0];
    answers[row * 8 + column + 1] = (int)sum[1];
    answers[(row + 8) * 8 + column] = (int)sum[2];
    answers[(row + 8) * 8 + column + 1] = (int)sum[3];
}
