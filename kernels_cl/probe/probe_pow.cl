// SPDX-License-Identifier: Apache-2.0
// A test with a known result for pow() of vectors, as kernels call it (base/number.cl precedes this text): the host
// compares with its own. A work-item computes one vector. No local memory, no barrier.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_probe_pow(__global const ww_scalar *restrict bases, __global const ww_scalar *restrict exponents,
             __global ww_scalar *restrict answers) {
    const size_t item = get_global_id(0);
    WW_VSTORE(pow(WW_VLOAD(item, bases), WW_VLOAD(item, exponents)), item, answers);
}
