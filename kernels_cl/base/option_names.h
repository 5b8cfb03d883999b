// SPDX-License-Identifier: Apache-2.0
// The values of the kernels' options that are a choice, by name, for C and kernels. Each program begins with this text.
#ifndef WAVEWARP_OPTION_NAMES_H
#define WAVEWARP_OPTION_NAMES_H

// WW_EXCHANGE, how neighbouring work-items pass values (base/vendor.cl).
#define WWK_EXCHANGE_LOCAL 0        // through local memory
#define WWK_EXCHANGE_NV_SHFL 1      // shfl.sync by inline PTX; width 32
#define WWK_EXCHANGE_SUBGROUP 2     // sub_group_shuffle (cl_khr_subgroup_shuffle), width = sub-group size >= 8
#define WWK_EXCHANGE_AMD_BPERMUTE 3 // __builtin_amdgcn_ds_bpermute; width 32 or 64

// WW_COST, the cost of two points (base/points.cl).
#define WWK_COST_SQUARED 1
#define WWK_COST_ABSOLUTE 2
#define WWK_COST_EUCLIDEAN 3
#define WWK_COST_USER 4 // ww_user_expression, which the host writes from the user's text

// WW_BAND (base/band.cl). Itakura's rows are rounded in double, which not every device has: they need a table, as a
// caller's own do.
#define WWK_BAND_NONE 0
#define WWK_BAND_TABLE 1
#define WWK_BAND_DIAGONAL 2
#define WWK_BAND_SLANTED 3

// WW_METRIC of points (knn/knn.cl). From Minkowski's to NaN-L2 no filter takes them, nor the correlation.
#define WWK_METRIC_L2_SQUARED 0
#define WWK_METRIC_L1 1
#define WWK_METRIC_LINF 2
#define WWK_METRIC_COSINE 3
#define WWK_METRIC_INNER_PRODUCT 4 // negated
#define WWK_METRIC_HAMMING 5
#define WWK_METRIC_JACCARD_BITS 6
#define WWK_METRIC_MINKOWSKI 7
#define WWK_METRIC_CANBERRA 8
#define WWK_METRIC_BRAY_CURTIS 9
#define WWK_METRIC_NAN_L2 10 // of the coordinates that both points have
#define WWK_METRIC_CORRELATION 11

// WW_STORED, what the base's coordinates are stored in.
#define WWK_STORED_PRECISION 0 // as queries and sums
#define WWK_STORED_UCHAR 1
#define WWK_STORED_CHAR 2
#define WWK_STORED_HALF 3

// WW_FAMILY of hash functions (lsh/lsh.cl).
#define WWK_FAMILY_STABLE 0
#define WWK_FAMILY_COSINE 1
#define WWK_FAMILY_BITS 2
#define WWK_FAMILY_SETS 3

// WW_JOIN, the kernel that searches buckets (lsh/lsh_join.cl, lsh/lsh_join_tensor.cl).
#define WWK_JOIN_PLAIN 0
#define WWK_JOIN_WIDE 1
#define WWK_JOIN_SETS 2
#define WWK_JOIN_TENSOR 3

// WW_NORM of windows that are not normalised, by their p (profile/profile_raw.cl).
#define WWK_NORM_1 1
#define WWK_NORM_2 2
#define WWK_NORM_POWER 3
#define WWK_NORM_INFINITE 4

// WW_SEARCH_AFFINE, what a window's points become (search/search_points.cl).
#define WWK_AFFINE_NONE 0
#define WWK_AFFINE_SHIFTED 1 // (v - centre) * scale + shift
#define WWK_AFFINE_SCALED 2  // v * scale

#endif
