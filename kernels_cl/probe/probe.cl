// SPDX-License-Identifier: Apache-2.0
// A test with a known result for base/vendor.cl's exchange: 64 work-items a group send numbers to their right-hand
// neighbours; the host compares. Six words a work-item: up and rotate, as uint, float and double; then one word: the
// number of work-items that can exchange. No local memory, no barrier.

static inline uint ww_probe_input(uint item) {
    return (item * 2654435761u + 12345u) >> 9; // 23 bits: exact in a float
}

WW_EXCHANGE_KERNEL
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void ww_probe_exchange(__global uint *answers, uint g) {
    uint item = (uint)get_global_id(0);
    uint v = ww_probe_input(item);
    answers[item * 6 + 0] = ww_exchange_up(v, g);
    answers[item * 6 + 1] = ww_exchange_rotate(v, g);
    answers[item * 6 + 2] = (uint)ww_exchange_up((float)v, g);
    answers[item * 6 + 3] = (uint)ww_exchange_rotate((float)v, g);
#if WW_PROBE_DOUBLE
    // Scaled so that both words of the double have bits set.
    answers[item * 6 + 4] = (uint)rint(ww_exchange_up((double)v * 1.1, g) / 1.1);
    answers[item * 6 + 5] = (uint)rint(ww_exchange_rotate((double)v * 1.1, g) / 1.1);
#endif
    if (item == 0)
        answers[get_global_size(0) * 6] = ww_exchange_width();
}
