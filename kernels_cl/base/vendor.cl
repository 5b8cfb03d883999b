// SPDX-License-Identifier: Apache-2.0
// The only file with instructions that not every device has.
//
// Passing a value to the right-hand neighbour, within aligned groups of g adjacent work-items (g a power of two, 2 to
// min(32, the device's width)), in a one-dimensional work-group, all work-items of which take part. For uint, float
// and double:
//   ww_exchange_up(v, g)      the left neighbour's v; what the first of a group receives is unspecified
//   ww_exchange_rotate(v, g)  the left neighbour's v; the first of a group receives the last one's
// WW_EXCHANGE chooses how (base/option_names.h). With WWK_EXCHANGE_LOCAL this file has no exchange: the engines have their own. The host only uses methods that probe/probe.cl has shown to work.
// No local memory, no barrier.

#ifndef WW_EXCHANGE
#define WW_EXCHANGE WWK_EXCHANGE_LOCAL
#endif
#ifndef WW_ASYNC
#define WW_ASYNC 0
#endif
// 1: words can be added with carry; the form without carry needs few operations more (engine/bits_walk.cl).
#if WW_EXCHANGE != WWK_EXCHANGE_NV_SHFL
#define WW_ADD_CARRY 0
#define WW_LOGIC 0
#endif

// Precedes every kernel that exchanges: where the compiler is free to choose the sub-group's size, this fixes it.
#define WW_EXCHANGE_KERNEL

// A value that the compiler takes for another one than `a`. Where two branches compute the same of many values, it is
// else computed before the branch and kept in registers.
#if WW_EXCHANGE == WWK_EXCHANGE_NV_SHFL && WWK_DOUBLE
#define ww_rename(a) __asm__ volatile("" : "+d"(a))
#elif WW_EXCHANGE == WWK_EXCHANGE_NV_SHFL
#define ww_rename(a) __asm__ volatile("" : "+f"(a))
#elif WW_EXCHANGE == WWK_EXCHANGE_AMD_BPERMUTE
#define ww_rename(a) __asm__ volatile("" : "+v"(a))
#else
#define ww_rename(a)
#endif

// Between groups of work-items that exchange: what they wrote to local memory is there for them. Where they exchange through
// it, they have had a barrier already.
#if WW_EXCHANGE == WWK_EXCHANGE_LOCAL
#define ww_group_join()
#elif WW_EXCHANGE != WWK_EXCHANGE_NV_SHFL
#define ww_group_join() barrier(CLK_LOCAL_MEM_FENCE)
#endif

// Copies 16 bytes, or a word, into local memory while the work-item goes on; waits for its own copies, or for those before the
// last mark. Elsewhere plain copies.
#if WW_ASYNC
static inline void ww_copy_ahead(__local void *to, __global const void *from) {
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint)(size_t)to), "l"((ulong)(size_t)from) : "memory");
}
static inline void ww_word_ahead(__local void *to, __global const void *from) {
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((uint)(size_t)to), "l"((ulong)(size_t)from) : "memory");
}
#define ww_copy_wait() __asm__ volatile("cp.async.wait_all;" ::: "memory")
#define ww_copy_mark() __asm__ volatile("cp.async.commit_group;" ::: "memory")
#define ww_copy_wait_marked() __asm__ volatile("cp.async.wait_group 0;" ::: "memory")
#else
#define ww_copy_ahead(to, from) (*(to) = *(from))
#define ww_word_ahead(to, from) (*(to) = *(from))
#define ww_copy_wait()
#define ww_copy_mark()
#define ww_copy_wait_marked()
#endif
#if WW_EXCHANGE != WWK_EXCHANGE_NV_SHFL
// For a device that runs one group after the other; none else is given kernels that wait.
#define ww_publish(word, value) (*(word) = (value))
#define ww_acquire()
#endif

#if WW_EXCHANGE == WWK_EXCHANGE_NV_SHFL

// 1 where a <= b, else 0, in one instruction; a product limited to 0 to 1, at no additional cost; 2^a; log2 a; 1/a;
// 1/sqrt(a).
#define WW_HAS_FLOAT_FORMS
static inline float ww_at_most_float(float a, float b) {
    float r;
    __asm__("set.le.f32.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
static inline float ww_unit_product_float(float a, float b) {
    float r;
    __asm__("mul.sat.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}

static inline float ww_exp2_float(float a) {
    float r;
    __asm__("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}

static inline float ww_log2_float(float a) {
    float r;
    __asm__("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}

static inline float ww_recip_float(float a) {
    float r;
    __asm__("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}

static inline float ww_rsqrt_float(float a) {
    float r;
    __asm__("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}

// What a warp has written to local memory is there for all its work-items.
#define ww_group_join() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")

// What the work-item has whose number in the warp differs in this bit.
#define WW_HAS_SWAP
static inline float ww_swap_word(float v, uint bit) {
    float r;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(r) : "f"(v), "r"(bit));
    return r;
}
static inline float4 ww_swap(float4 v, uint bit) {
    return (float4)(ww_swap_word(v.x, bit), ww_swap_word(v.y, bit), ww_swap_word(v.z, bit), ww_swap_word(v.w, bit));
}

// What the warp reads later is not older than what it has read; what it writes later does not come before what it has written.
#define ww_acquire() __asm__ volatile("fence.acq_rel.gpu;" ::: "memory")
// Writes `value` behind all that the warp has written before. And that alone.
static inline void ww_publish(volatile __global uint *word, uint value) {
    ww_group_join();
    if (get_local_id(0) % 32 == 0) {
        ww_acquire();
        *word = value;
    }
    ww_group_join();
}

// Whether all 32 work-items of a warp agree.
#define WW_HAS_AGREEMENT
static inline bool ww_all_agree(bool own) {
    uint r;
    __asm__ volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.all.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }"
                     : "=r"(r)
                     : "r"((uint)own));
    return r != 0;
}

// One SHFL a word. The segment mask is in bits 8 to 12 of the last operand (PTX ISA, shfl.sync).
static inline uint ww_exchange_up_uint(uint v, uint g) {
    uint r;
    __asm__ volatile("shfl.sync.up.b32 %0, %1, 1, %2, 0xffffffff;" : "=r"(r) : "r"(v), "r"((32u - g) << 8));
    return r;
}

static inline uint ww_exchange_rotate_uint(uint v, uint g) {
    uint r;
    uint from = ((uint)get_local_id(0) - 1u) & (g - 1u);
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, %3, 0xffffffff;"
                     : "=r"(r)
                     : "r"(v), "r"(from), "r"((32u - g) << 8 | 31u));
    return r;
}

static inline uint ww_exchange_width(void) {
    uint width;
    __asm__ volatile("mov.u32 %0, WARP_SZ;" : "=r"(width));
    return width;
}

// Sums of several words: ww_add_first() (or with a carry of 0 or 1 coming in), then ww_add_next() word by word, with no
// other addition between them. The carry is in the flag of PTX's add.cc, which only these functions write.
#define WW_ADD_CARRY 1
static inline uint ww_add_first(uint a, uint b) {
    uint r;
    __asm__ volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

static inline uint ww_add_next(uint a, uint b) {
    uint r;
    __asm__ volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

// Logic and shifts of bits_walk.cl, one LOP3 or SHF each: written in C, the compiler splits and joins them in ways that
// need more instructions. The last operand is the result for a, b, c = 0xF0, 0xCC, 0xAA.
#define WW_LOGIC 1
#define WW_LOGIC_3(r, a, b, c, table)                                                                                  \
    __asm__ volatile("lop3.b32 %0, %1, %2, %3, " table ";" : "=r"(r) : "r"(a), "r"(b), "r"(c))
static inline uint ww_or_differ(uint a, uint b, uint c) {
    uint r;
    WW_LOGIC_3(r, a, b, c, "0xF6");
    return r;
}
static inline uint ww_or_neither(uint a, uint b, uint c) {
    uint r;
    WW_LOGIC_3(r, a, b, c, "0xF1");
    return r;
}
static inline uint ww_differ_or_not(uint a, uint b, uint c) {
    uint r;
    WW_LOGIC_3(r, a, b, c, "0x7D");
    return r;
}
static inline uint ww_or_both(uint a, uint b, uint c) {
    uint r;
    WW_LOGIC_3(r, a, b, c, "0xF8");
    return r;
}
static inline uint ww_shift_in(uint high, uint low) {
    uint r;
    __asm__ volatile("shf.l.wrap.b32 %0, %1, %2, 1;" : "=r"(r) : "r"(low), "r"(high));
    return r;
}

static inline uint ww_add_first_carry(uint a, uint b, uint carry) {
    uint r;
    __asm__ volatile("add.cc.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(carry));
    return ww_add_next(a, b);
}

#elif WW_EXCHANGE == WWK_EXCHANGE_SUBGROUP

#ifdef cl_khr_subgroup_shuffle
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#define WW_SUBGROUP_SHUFFLE sub_group_shuffle
#else
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define WW_SUBGROUP_SHUFFLE intel_sub_group_shuffle
#endif
#ifdef cl_intel_required_subgroup_size
#undef WW_EXCHANGE_KERNEL
#define WW_EXCHANGE_KERNEL __attribute__((intel_reqd_sub_group_size(16)))
#endif

// The first work-item of a sub-group has no left neighbour and reads its own value.
static inline uint ww_exchange_up_uint(uint v, uint g) {
    uint lane = get_sub_group_local_id();
    (void)g;
    return WW_SUBGROUP_SHUFFLE(v, lane - (lane != 0u));
}

static inline uint ww_exchange_rotate_uint(uint v, uint g) {
    uint lane = get_sub_group_local_id();
    return WW_SUBGROUP_SHUFFLE(v, (lane & ~(g - 1u)) | ((lane - 1u) & (g - 1u)));
}

static inline uint ww_exchange_width(void) {
    return get_max_sub_group_size();
}

#elif WW_EXCHANGE == WWK_EXCHANGE_AMD_BPERMUTE

// ds_bpermute takes the lane to read from in bytes, and wraps around the wavefront.
static inline uint ww_exchange_up_uint(uint v, uint g) {
    (void)g;
    return as_uint(__builtin_amdgcn_ds_bpermute(((int)get_local_id(0) - 1) * 4, as_int(v)));
}

static inline uint ww_exchange_rotate_uint(uint v, uint g) {
    uint item = (uint)get_local_id(0);
    uint from = (item & ~(g - 1u)) | ((item - 1u) & (g - 1u));
    return as_uint(__builtin_amdgcn_ds_bpermute((int)(from * 4u), as_int(v)));
}

static inline uint ww_exchange_width(void) {
    return __builtin_amdgcn_wavefrontsize();
}

#endif

#if WW_EXCHANGE != WWK_EXCHANGE_LOCAL

#define WW_OVERLOAD __attribute__((overloadable))

static inline uint WW_OVERLOAD ww_exchange_up(uint v, uint g) {
    return ww_exchange_up_uint(v, g);
}

static inline uint WW_OVERLOAD ww_exchange_rotate(uint v, uint g) {
    return ww_exchange_rotate_uint(v, g);
}

static inline float WW_OVERLOAD ww_exchange_up(float v, uint g) {
    return as_float(ww_exchange_up_uint(as_uint(v), g));
}

static inline float WW_OVERLOAD ww_exchange_rotate(float v, uint g) {
    return as_float(ww_exchange_rotate_uint(as_uint(v), g));
}

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline double WW_OVERLOAD ww_exchange_up(double v, uint g) {
    uint2 words = as_uint2(v);
    return as_double((uint2)(ww_exchange_up_uint(words.x, g), ww_exchange_up_uint(words.y, g)));
}

static inline double WW_OVERLOAD ww_exchange_rotate(double v, uint g) {
    uint2 words = as_uint2(v);
    return as_double((uint2)(ww_exchange_rotate_uint(words.x, g), ww_exchange_rotate_uint(words.y, g)));
}
#endif

#endif

// ---- products of small matrices by a warp's 32 work-items
//
// WW_MMA 1, NVIDIA's mma.sync (sm_80 and later): sum += A (16 x 16 halves) times B (16 x 8 halves), in float. Work-item
// lane holds rows lane/4 and lane/4 + 8 of A and column lane/4 of B, of each the four numbers from 4*(lane % 4) on; in
// the sum s0, s1 are the columns 2*(lane % 4) and the next in row lane/4, s2, s3 these in row lane/4 + 8. The whole
// warp takes part. (The instruction numbers the 16 inner places in another order, which is the same for A and B.)
// ww_mma_upon sets sum to the product plus `upon` in row lane/4 and `upon8` in row lane/4 + 8. ww_push_sign(bits, x)
// puts the sign of x below bits. ww_mma_short: with 8 inner places, of which a work-item holds two. ww_bytes(x, which):
// of x the bytes that the four digits of `which` name, 4 for zero. With 0 none of them exists: their users have a portable
// form.
#ifndef WW_MMA
#define WW_MMA 0
#endif
#if WW_MMA == 1
#define WW_MMA_INLINE static inline __attribute__((always_inline))
WW_MMA_INLINE void ww_mma_upon(float *s, float upon, float upon8, uint2 a, uint2 a8, uint2 b) {
    __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%10, %10, %11, %11};"
                     : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3])
                     : "r"(a.x), "r"(a8.x), "r"(a.y), "r"(a8.y), "r"(b.x), "r"(b.y), "f"(upon), "f"(upon8));
}
WW_MMA_INLINE void ww_mma(float *s, uint2 a, uint2 a8, uint2 b) {
    __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                     : "r"(a.x), "r"(a8.x), "r"(a.y), "r"(a8.y), "r"(b.x), "r"(b.y));
}
WW_MMA_INLINE void ww_mma_short(float *s, uint a, uint a8, uint b) {
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                     : "r"(a), "r"(a8), "r"(b));
}
static inline uint ww_bytes(uint x, uint which) {
    uint r;
    __asm__("prmt.b32 %0, %1, 0, %2;" : "=r"(r) : "r"(x), "r"(which));
    return r;
}
#define ww_push_sign(bits, x)                                                                                          \
    __asm__("shf.l.wrap.b32 %0, %1, %2, 1;" : "=r"(bits) : "r"(as_uint(x)), "r"(bits))
// Makes the warp converge again after a branch.
#define ww_warp_join() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#endif
