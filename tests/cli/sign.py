#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signs parts whose files were changed: each journal gets its file's checksum, and its own.

sign.py JOURNAL...: what is wrong in a part although its checksums are right is what a test of it is about."""
import hashlib
import re
import sys

BLOCK = 1 << 20
SUM = 65


def sum_of_file(path):
    """As the program has it: each block's sum with that of those before."""
    before = bytes(SUM)
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            own = hashlib.sha256(block).hexdigest().encode() + b"\0"
            before = hashlib.sha256(before + own).hexdigest().encode() + b"\0"
    return hashlib.sha256(before).hexdigest().encode()


for journal in sys.argv[1:]:
    with open(journal, "rb") as file:
        text = re.sub(rb"result [^\n]*\n$", b"", file.read()[:-SUM])
    text += b"result " + sum_of_file(journal[: -len("journal")] + "npy") + b"\n"
    with open(journal, "wb") as file:
        file.write(text + hashlib.sha256(text).hexdigest().encode() + b"\n")
