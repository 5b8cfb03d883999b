// SPDX-License-Identifier: Apache-2.0
// Which windows are constant, for C and kernels: the one rule of all that z-normalises (src/base/normal.h).
#ifndef WAVEWARP_CONSTANT_H
#define WAVEWARP_CONSTANT_H

// A window whose values lie between `low` and `high`, and are at most `largest` in absolute value, is constant where
// rounding alone can make its range: each value is the result of a few operations, which leave it wrong by up to four
// times `epsilon` (the distance from 1 to the next number of the precision that the values have) of itself.
#define WW_CONSTANT_EPSILONS 8
#define WW_IS_CONSTANT(low, high, largest, epsilon) ((high) - (low) <= WW_CONSTANT_EPSILONS * (epsilon) * (largest))

#endif
