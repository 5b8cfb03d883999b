#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints src/files/powers_of_five.h: for each exponent q the 128 most significant bits of 5^q, rounded down; for q
from -27 to -1 rounded up, as the proof of the conversion needs them (Lemire 2021, section 6)."""

LEAST, MOST = -342, 308


def significand(q):
    if q >= 0:
        power = 5 ** q
        shift = power.bit_length() - 128
        return power >> shift if shift > 0 else power << -shift
    power = 5 ** -q
    if q >= -27:  # the reciprocal is rounded up: its error then stays below the last bit of a 64-bit product
        return (1 << power.bit_length() + 127) // power + 1
    value = (1 << 2 * power.bit_length() + 128) // power
    return value >> value.bit_length() - 128


print("// SPDX-License-Identifier: Apache-2.0")
print("// The 128 most significant bits of the powers of five from 5^%d to 5^%d; printed by tools/make-powers.py." % (LEAST, MOST))
print("#ifndef WAVEWARP_POWERS_OF_FIVE_H\n#define WAVEWARP_POWERS_OF_FIVE_H\n\n#include <stdint.h>\n")
print("#define WWI_LEAST_POWER (%d)\n#define WWI_MOST_POWER %d\n" % (LEAST, MOST))
print("// clang-format off")
print("static const uint64_t wwi_powers_of_five[%d][2] = {" % (MOST - LEAST + 1))
row = []
for q in range(LEAST, MOST + 1):
    value = significand(q)
    assert value >> 127 == 1
    row.append("{0x%016x, 0x%016x}" % (value >> 64, value & (1 << 64) - 1))
    if len(row) == 2 or q == MOST:
        print("    " + ", ".join(row) + ",")
        row = []
print("};\n// clang-format on\n\n#endif")
