#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the machine instructions of every kernel between two source trees, without a GPU.

    instructions.py [--pattern REGEX] [--target sm_90] [--cache FOLDER] [--all] OLD NEW

Each tree's kernels_cl/combinations.txt says how its kernels are compiled; kernels of the same name are compared. clang and libclc
make PTX, ptxas makes the machine code; instructions are counted in its ELF sections, no disassembler is needed: from sm_70
on an instruction is 16 bytes, its operation the low 12 bits. NOPs, which only fill a section up, are not counted. Exit
status 1 when a kernel of NEW has more instructions, registers or spilled bytes than in OLD.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import struct
import sys
import tempfile

import kernels

NOP = 0x918


def nvidia_lines(tree, pattern):
    """Name -> line of a tree's kernels that NVIDIA's compiler takes."""
    return {line.name: line for line in kernels.read_lines(os.path.join(tree, "kernels_cl", "combinations.txt"))
            if re.search(pattern, line.name) and not line.flags & {"amd", "syntax"}}


def count_instructions(cubin):
    """Kernel -> instructions, from the sections .text.KERNEL."""
    data = open(cubin, "rb").read()
    at, size, count, names_at = struct.unpack_from("<Q", data, 0x28)[0], *struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(count)]
    names = headers[names_at][4]
    counts = {}
    for header in headers:
        start = names + header[0]
        name = data[start:data.index(b"\0", start)].decode()
        if name.startswith(".text."):
            words = data[header[4]:header[4] + header[5]]
            operations = [struct.unpack_from("<Q", words, k)[0] & 0xFFF for k in range(0, len(words), 16)]
            counts[name[len(".text."):]] = sum(1 for o in operations if o != NOP)
    return counts


def measure(job):
    """{kernel: [instructions, registers, bytes spilled]}, or a text that says what failed."""
    line, target, compilers, cache = job
    text = line.text()
    key = hashlib.sha256(json.dumps([text, line.options, sorted(line.flags), target, compilers.identity]).encode()).hexdigest()
    kept = os.path.join(cache, key + ".json") if cache else None
    if kept and os.path.exists(kept):
        return json.load(open(kept))
    with tempfile.TemporaryDirectory() as work:
        source, cubin = os.path.join(work, "a.cl"), os.path.join(work, "a.cubin")
        open(source, "w", encoding="utf-8").write(text)
        ptx, log = kernels.make_ptx(compilers, line, source)
        if not ptx:
            return log
        status, log = kernels.run([compilers.ptxas, "-arch=" + target, "-v", "-o", cubin, ptx])
        if status:
            return log
        result, kernel = {k: [n, 0, 0] for k, n in count_instructions(cubin).items()}, None
        for said in log.splitlines():
            found = re.search(r"Compiling entry function '(\w+)'", said)
            kernel = found.group(1) if found else kernel
            found = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
            if found and kernel in result:
                result[kernel][2] = int(found.group(1)) + int(found.group(2))
            found = re.search(r"Used (\d+) registers", said)
            if found and kernel in result:
                result[kernel][1] = int(found.group(1))
    if kept:
        os.makedirs(cache, exist_ok=True)
        json.dump(result, open(kept + ".new", "w"))
        os.replace(kept + ".new", kept)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--pattern", default="^(lanes|strips|packed|ribbon|bits)")
    parser.add_argument("--target", default="sm_90")
    parser.add_argument("--cache", help="folder of what was compiled before")
    parser.add_argument("--all", action="store_true", help="print lines without a difference, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    compilers = kernels.Compilers()
    if not (compilers.clang and compilers.ptxas and compilers.nvidia):
        sys.exit("needs clang, libclc for NVIDIA and ptxas")
    trees = [nvidia_lines(tree, arguments.pattern) for tree in (arguments.old, arguments.new)]
    names = [name for name in trees[1] if name in trees[0]]
    jobs = [(tree[name], arguments.target, compilers, arguments.cache) for name in names for tree in trees]
    more = same = 0
    print("%-34s %-16s %21s %17s %17s" % ("line", "kernel", "instructions", "registers", "spilled"))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(measure, jobs))
    for i, name in enumerate(names):
        old, new = results[2 * i], results[2 * i + 1]
        if isinstance(old, str) or isinstance(new, str):
            print("%s: does not compile: %s" % (name, (old if isinstance(old, str) else new)[:600]))
            more += 1
            continue
        for kernel in sorted(new):
            if kernel not in old:
                continue
            same += old[kernel] == new[kernel]
            more += any(n > o for o, n in zip(old[kernel], new[kernel]))
            if arguments.all or old[kernel] != new[kernel]:
                print("%-34s %-16s" % (name, kernel), *("%7d -> %7d" % pair for pair in zip(old[kernel], new[kernel])))
    print("%d lines: %d kernels without a difference, %d with more of something" % (len(names), same, more))
    return 1 if more else 0


sys.exit(main())
