#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the machine instructions of every kernel between two source trees, without a GPU.

    instructions.py [--pattern REGEX] [--target sm_90] [--cache FOLDER] [--all] OLD NEW

Each tree's kernels_cl/combinations.txt says how its kernels are compiled; lines of the same name are compared. clang and libclc
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
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

NOP = 0x918
FEATURES = "-Xclang -target-cpu -Xclang {cpu} -Xclang -target-feature -Xclang +ptx{ptx}"


def compiler():
    for version in range(22, 13, -1):
        found = shutil.which("clang-%d" % version)
        if found:
            return found
    return shutil.which("clang")


def assembler():
    return shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")


def library(clang):
    """libclc for NVIDIA that this clang can read; see kernels.sh."""
    here = os.path.dirname(os.path.abspath(__file__))
    name = "nvptx64--nvidiacl.bc"
    for folder in (here + "/../../build/libclc/usr/lib/clc", "/usr/lib/clc", "/usr/share/clc"):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        test = [clang, "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-nvcl", "-Xclang",
                "-finclude-default-header", "-nogpulib", "-Wno-linker-warnings", "-Xclang", "-mlink-builtin-bitcode",
                "-Xclang", path, "-S", "-o", "/dev/null", "-"]
        if subprocess.run(test, input=b"kernel void k(global float *a) { a[0] = sqrt(a[1]); }",
                          stderr=subprocess.DEVNULL).returncode == 0:
            return path
    return None


def combinations(tree, pattern):
    """Name -> (joined text, options, flags) of the lines that NVIDIA's compiler takes."""
    kernels = os.path.join(tree, "kernels_cl")
    lines = {}
    for line in open(os.path.join(kernels, "combinations.txt"), encoding="utf-8"):
        parts = [part.strip() for part in line.strip().split(" : ")]
        if line.startswith("#") or len(parts) < 3 or not re.search(pattern, parts[0]):
            continue
        flags = parts[3].split() if len(parts) > 3 else []
        if "amd" in flags or "syntax" in flags:
            continue
        text = ""
        for name in parts[1].split():
            text += '#line 1 "%s"\n%s\n' % (name, open(os.path.join(kernels, name), encoding="utf-8").read())
        lines[parts[0]] = (text, shlex.split(parts[2]), flags)
    return lines


def with_group_sizes(ir, ptx):
    """The PTX with each kernel's reqd_work_group_size as .reqntid; clang leaves it out, and registers depend on it."""
    nodes = dict(re.findall(r"^(![0-9]+) = !\{i32 ([0-9]+, i32 [0-9]+, i32 [0-9]+)\}", ir, re.M))
    sizes = {}
    for name, node in re.findall(r"^define [^\n]*@(\w+)\([^\n]*!reqd_work_group_size (![0-9]+)", ir, re.M):
        sizes[name] = nodes[node].replace("i32 ", "")
    out, kernel = [], None
    for line in ptx.splitlines():
        found = re.search(r"[.]entry (\w+)", line)
        kernel = found.group(1) if found else kernel
        out.append(line)
        if line.startswith(")") and kernel:
            if kernel in sizes:
                out.append(".reqntid " + sizes[kernel])
            kernel = None
    return "\n".join(out) + "\n"


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
    text, options, flags, target, clang, ptxas, libclc, cache = job
    key = hashlib.sha256(json.dumps([text, options, flags, target, clang, libclc]).encode()).hexdigest()
    kept = os.path.join(cache, key + ".json") if cache else None
    if kept and os.path.exists(kept):
        return json.load(open(kept))
    features = FEATURES.format(cpu="sm_80" if "sm80" in flags else "sm_75", ptx=70 if "sm80" in flags else 64).split()
    with tempfile.TemporaryDirectory() as work:
        source, ir, raw, ptx, cubin = (os.path.join(work, n) for n in ("a.cl", "a.ll", "a.raw", "a.ptx", "a.cubin"))
        open(source, "w", encoding="utf-8").write(text)
        first = [clang, "-x", "cl", "-cl-std=CL1.2", "-O3", "-target", "nvptx64-nvidia-nvcl", *features, "-Xclang",
                 "-finclude-default-header", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc, "-w", *options,
                 "-S", "-emit-llvm", "-o", ir, source]
        second = [clang, "-x", "ir", "-O3", "-target", "nvptx64-nvidia-nvcl", *features, "-Xclang",
                  "-disable-llvm-passes", "-Wno-override-module", "-S", "-o", raw, ir]
        for command in (first, second):
            done = subprocess.run(command, stderr=subprocess.PIPE)
            if done.returncode:
                return done.stderr.decode(errors="replace")
        open(ptx, "w").write(with_group_sizes(open(ir).read(), open(raw).read()))
        done = subprocess.run([ptxas, "-arch=" + target, "-v", "-o", cubin, ptx], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        log = done.stdout.decode(errors="replace")
        if done.returncode:
            return log
        result, kernel = {k: [n, 0, 0] for k, n in count_instructions(cubin).items()}, None
        for line in log.splitlines():
            found = re.search(r"Compiling entry function '(\w+)'", line)
            kernel = found.group(1) if found else kernel
            found = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)
            if found and kernel in result:
                result[kernel][2] = int(found.group(1)) + int(found.group(2))
            found = re.search(r"Used (\d+) registers", line)
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
    parser.add_argument("--pattern", default="^(lanes|strips|stencil|packed|ribbon|bits)")
    parser.add_argument("--target", default="sm_90")
    parser.add_argument("--cache", help="folder of what was compiled before")
    parser.add_argument("--all", action="store_true", help="print lines without a difference, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    clang, ptxas = compiler(), assembler()
    libclc = clang and library(clang)
    if not (clang and ptxas and libclc):
        sys.exit("needs clang, libclc for NVIDIA and ptxas")
    trees = [combinations(tree, arguments.pattern) for tree in (arguments.old, arguments.new)]
    names = [name for name in trees[1] if name in trees[0]]
    jobs = [(*tree[name], arguments.target, clang, ptxas, libclc, arguments.cache) for name in names for tree in trees]
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
