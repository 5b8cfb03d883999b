#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernel combinations without a device, as the drivers would: a strict syntax check, for NVIDIA (PTX, then
ptxas) and for AMD (GCN assembly). Reads registers and spills from the compilers' own words. Prints TAP.

The kernels and their options are in kernels_cl/combinations.txt, which combinations.py reads. Flags there: nvidia (inline
PTX: only NVIDIA's compiler reads it), sm80 (the same, for sm_80 and later), amd (its built-in functions), syntax (no
more than a syntax check: sub-groups, which neither of the two has here, and forms that no GPU gets), spills (allowed to
spill: not a default parameter set). Any other kernel must compile for all targets without a spill. Here and below a
line is one of them.

Which points: every line gets the syntax check. With --all every line is compiled for every target. Without it
  - the base is compiled for sm_90 and gfx90a: a few lines that have every kernel text, every value of every option and
    every vendor's form of every engine, and the first line of every engine that may not spill. Forms for CPUs are not
    counted here: CPUs' compilers meet them in the device tests;
  - that first line also for one more target of each vendor, a different one in each engine;
  - a third of the rest for sm_90 and gfx90a. The rest are the lines that a covering selection has besides: every value
    of every option in every engine, every recurrence in every engine, and every two values of two options in one line.
    Of these a form for CPUs is compiled for one of the two targets.
What changes from run to run (which third, which target more) follows from a number, the seed: the hash of the tree that
is checked out, so that each change has its own. Six seeds in a row have the whole covering selection.
WAVEWARP_TEST_ROTATION=N sets the seed, WAVEWARP_TEST_EXHAUSTIVE=1 is --all. With a name pattern the lines that match
are compiled for every target.

A point that passed is kept in the cache folder under the SHA-256 of all that it depends on (joined text, options,
target, compilers, libclc) and is not compiled again; its line then ends in "(cached)". A run that was ended in its
middle goes on from there. The folder is WAVEWARP_TEST_CACHE/kernels, else ~/.cache/wavewarp-tests/kernels.

Usage: kernels.py [--all] [--piece I/N] [--cache FOLDER] [--jobs N] [combinations.txt [name-pattern]]
"""
import argparse
import concurrent.futures
import hashlib
import heapq
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import combinations

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
LIST = os.path.join(ROOT, "kernels_cl", "combinations.txt")
AMD = ["gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100"]
NVIDIA = ["sm_75", "sm_80", "sm_90", "sm_100"]
DAILY = ("sm_90", "gfx90a")
TURNS = 3  # in how many the rest of the daily selection is compiled
# A joined text has helpers and arguments that this variant does not use, and names extensions that a target lacks.
WARNINGS = ("-Wall -Wextra -Werror -Wno-unused-function -Wno-unused-parameter -Wno-ignored-pragmas -Wno-linker-warnings "
            "-Wno-pass-failed").split()
LANGUAGE = "-x cl -cl-std=CL1.2 -Xclang -finclude-default-header".split()
KEPT_DAYS = 30  # of a cached point that nobody asked for
# What this script makes of a compiler's words: a change of it makes the cached points void.
RULES = "1"


class Compilers:
    """The newest clang, the libclc files that it can read, ptxas; None where there is none."""

    def __init__(self):
        names = [f"clang-{version}" for version in range(22, 13, -1)] + ["clang"]
        self.clang = next((name for name in names if shutil.which(name)), None)
        cuda = "/usr/local/cuda/bin/ptxas"
        self.ptxas = shutil.which("ptxas") or (cuda if os.access(cuda, os.X_OK) else None)
        self.nvidia = self.amd = None
        if self.clang:
            self.version = output([self.clang, "--version"])
            self.nvidia = self.library("nvptx64-nvidia-nvcl", "nvptx64--nvidiacl.bc")
            self.amd = self.library("amdgcn-amd-amdhsa", "amdgcn--amdhsa.bc")
        self.identity = {"syntax": self.version if self.clang else "",
                         "nvidia": self.clang and self.nvidia and
                         self.version + digest(self.nvidia) + (output([self.ptxas, "--version"]) if self.ptxas else ""),
                         "amd": self.clang and self.amd and self.version + digest(self.amd)}

    def library(self, target, file):
        """The first libclc that this clang can read: it is compiled by one LLVM, which an older one can't read."""
        for folder in (os.path.join(ROOT, "build/libclc/usr/lib/clc"), "/usr/lib/clc", "/usr/share/clc"):
            path = os.path.join(folder, file)
            if os.access(path, os.R_OK) and run(
                    [self.clang, *LANGUAGE, "-target", target, "-nogpulib", "-Wno-linker-warnings", "-Xclang",
                     "-mlink-builtin-bitcode", "-Xclang", path, "-S", "-o", os.devnull, "-"],
                    text="kernel void k(global float *a) { a[0] = sqrt(a[1]); }")[0] == 0:
                return path
        return None


def kept():
    """The folder of what test runs keep, as tools/test has it."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("WAVEWARP_TEST_CACHE") or os.path.join(home, "wavewarp-tests")


def run(command, text=""):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def output(command):
    return run(command)[1]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Line:
    """One kernel with its options."""

    def __init__(self, name, files, options, flags, folder):
        self.name, self.files, self.options, self.flags, self.folder = name, files, options, flags, folder
        self.may_spill = "spills" in self.flags

    def targets(self, kind):
        if kind == "syntax":
            return [] if self.flags & {"nvidia", "sm80", "amd"} else ["syntax"]
        if kind == "nvidia":
            return [] if self.flags & {"amd", "syntax"} else [t for t in NVIDIA if t != "sm_75" or "sm80" not in self.flags]
        return [] if self.flags & {"nvidia", "sm80", "syntax"} else AMD

    def text(self):
        """The text the host hands to the driver, each file behind its own #line."""
        joined = []
        for name in self.files:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                joined.append(f'#line 1 "{name}"\n{file.read()}\n')
        return "".join(joined)

    def values(self):
        return self.options + [file for file in self.files if file.startswith("recurrence/")]

    def for_cpus(self):
        """Vectors are for CPUs. GPUs' compilers take up to half a minute for them."""
        return any(re.fullmatch(r"-DWW_(V|VECTOR)=\d+", option) and not option.endswith("=1") for option in self.options)

    def base_features(self):
        """What every run has to cover."""
        return ({("file", file) for file in self.files} | {("value", value) for value in self.options} |
                {(self.files[-1], tuple(sorted(self.flags - {"spills"})))})

    def features(self):
        """What all turns together have to cover."""
        values = self.values()
        return (self.base_features() | {(self.files[-1], value) for value in values} |
                {(a, b) for a in values for b in values if a < b})


def read_lines(path):
    return [Line(*line, os.path.dirname(os.path.abspath(path))) for line in combinations.read(path)]


def covering(lines, features, chosen):
    """Lines that have every feature between them and the chosen ones: the one with most new ones first, the earlier of
    equals."""
    left = set().union(*map(features, lines)).difference(*map(features, chosen))
    features = [features(line) for line in lines]
    added = []
    # A line's number of new features only falls: the first of the heap whose number is still right is the best.
    heap = [(-len(own), i) for i, own in enumerate(features)]
    heapq.heapify(heap)
    while left:
        new, i = heapq.heappop(heap)
        now = -len(features[i] & left)
        if now == new:
            added.append(lines[i])
            left -= features[i]
        else:
            heapq.heappush(heap, (now, i))
    return added


def seed():
    """The number that says what this run compiles of what is not compiled in each."""
    given = os.environ.get("WAVEWARP_TEST_ROTATION")
    if given:
        return int(given)
    status, tree = run(["git", "-C", ROOT, "rev-parse", "HEAD^{tree}"])
    if status != 0:  # no clone, but a released folder: its kernels tell
        tree = hashlib.sha256("".join(line.text() for line in read_lines(LIST)).encode()).hexdigest()
    return int(tree.strip()[:8], 16)


def daily(lines, number):
    """{line: targets} of one run."""
    first = first_of_each_engine(lines)
    base = first + covering([line for line in lines if not line.for_cpus()], Line.base_features, first)
    rest = covering(lines, Line.features, base)
    more = [[target for target in targets if target not in DAILY] for targets in (NVIDIA, AMD)]
    wanted = {line: set(DAILY) for line in base}
    for i, line in enumerate(rest):
        turn, other = divmod(i + number, TURNS)
        if not other:
            wanted[line] = {DAILY[turn % 2]} if line.for_cpus() else set(DAILY)
    for i, line in enumerate(first):
        wanted[line] = {*DAILY, *(targets[(i + number) % len(targets)] for targets in more)}
    return wanted


def first_of_each_engine(lines):
    first = {}
    for line in lines:
        if not line.may_spill:
            first.setdefault((line.files[-1], tuple(sorted(line.flags))), line)
    return list(first.values())


class Cache:
    def __init__(self, folder):
        self.folder = folder
        try:
            os.makedirs(folder or os.devnull, exist_ok=True)
        except OSError:
            self.folder = None  # a tree that can't be written to: everything is compiled

    def path(self, key):
        return os.path.join(self.folder, hashlib.sha256("\0".join(key).encode()).hexdigest())

    def get(self, key):
        if not self.folder:
            return None
        try:
            with open(self.path(key), encoding="utf-8") as file:
                os.utime(file.fileno())
                return file.read() or None
        except OSError:
            return None

    def put(self, key, text):
        if self.folder:
            with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False, encoding="utf-8") as file:
                file.write(text)
            os.replace(file.name, self.path(key))

    def forget_old(self):
        for name in os.listdir(self.folder) if self.folder else []:
            path = os.path.join(self.folder, name)
            try:
                if os.stat(path).st_mtime < time.time() - KEPT_DAYS * 86400:
                    os.remove(path)
            except OSError:
                pass


# ---- one combination for one target: (passed, what the TAP line says, the compiler's words or None)

def check_syntax(compilers, line, source):
    status, log = run([compilers.clang, *LANGUAGE, "-target", "spir64-unknown-unknown", "-fsyntax-only", *WARNINGS,
                       *line.options, source])
    return status == 0, "syntax", log


def add_group_sizes(code, ptx):
    """The PTX with each kernel's reqd_work_group_size as .reqntid. NVIDIA's own compiler writes it, clang does not, and
    without it ptxas does not know how many registers a work-item may have."""
    sizes = {node: size.replace("i32 ", "") for node, size in
             re.findall(r"^(!\d+) = !{(i32 \d+, i32 \d+, i32 \d+)}", code, re.MULTILINE)}
    of_kernel = {name: sizes[node] for name, node in
                 re.findall(r"^define [^@\n]*@([\w$]+)\(.*!reqd_work_group_size (!\d+)", code, re.MULTILINE)}
    result, kernel = [], None
    for text in ptx.splitlines():
        entry = re.search(r"\.entry ([\w$]+)", text)
        kernel = entry.group(1) if entry else kernel
        result.append(text)
        if text.startswith(")") and kernel:
            if kernel in of_kernel:
                result.append(f".reqntid {of_kernel[kernel]}")
            kernel = None
    return "\n".join(result) + "\n"


def make_ptx(compilers, line, source):
    """(PTX file or None, the compiler's words)"""
    cpu, ptx = ("sm_80", "+ptx70") if "sm80" in line.flags else ("sm_75", "+ptx64")
    target = ["-O3", "-target", "nvptx64-nvidia-nvcl", "-Xclang", "-target-cpu", "-Xclang", cpu, "-Xclang",
              "-target-feature", "-Xclang", ptx]
    code, raw, result = source + ".ll", source + ".raw", source + ".ptx"
    status, log = run([compilers.clang, *LANGUAGE, *target, "-Xclang", "-mlink-builtin-bitcode", "-Xclang",
                       compilers.nvidia, *WARNINGS, *line.options, "-S", "-emit-llvm", "-o", code, source])
    if status == 0:
        status, more = run([compilers.clang, "-x", "ir", *target, "-Xclang", "-disable-llvm-passes",
                            "-Wno-override-module", "-S", "-o", raw, code])
        log += more
    if status != 0:
        return None, log
    with open(code, encoding="utf-8") as a, open(raw, encoding="utf-8") as b, open(result, "w", encoding="utf-8") as out:
        out.write(add_group_sizes(a.read(), b.read()))
    return result, log


def check_ptx(compilers, line, target, ptx):
    if not compilers.ptxas:
        return True, f"{target} (PTX only)", None
    status, log = run([compilers.ptxas, f"-arch={target}", "-v", "-o", os.devnull, ptx])
    if status != 0:
        # An older or newer toolkit lacks the card altogether: not the kernel's fault.
        if "not defined for option 'gpu-name'" in log:
            return True, f"{target} # SKIP this ptxas does not know it", None
        return False, target, log
    registers = max(map(int, re.findall(r"Used (\d+) registers", log)), default=0)
    spilled = sum(int(a) + int(b) for a, b in re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", log))
    return (not spilled or line.may_spill), f"{target}: {registers} registers, {spilled} bytes spilled", log


def check_amd(compilers, line, target, source):
    assembly = f"{source}.{target}.s"
    status, log = run([compilers.clang, *LANGUAGE, "-O3", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-nogpulib",
                       "-Xclang", "-mlink-builtin-bitcode", "-Xclang", compilers.amd, *WARNINGS, *line.options, "-S",
                       "-o", assembly, source])
    if status != 0:
        if "unknown target CPU" in log or re.search(f"unsupported.*{target}", log):
            return True, f"{target} # SKIP this clang does not know it", None
        return False, target, log
    with open(assembly, encoding="utf-8") as file:
        words = file.read()
    os.remove(assembly)

    def most(field):
        return max(map(int, re.findall(rf"^ *\.{field}: *(\d+)", words, re.MULTILINE)), default=0)
    # Scalar registers spill into lanes of vector registers, and these on gfx90a and gfx942 into the other half of their
    # file: only scratch is memory.
    spilled, scratch = most("vgpr_spill_count"), most("private_segment_fixed_size")
    return (not scratch or line.may_spill,
            f"{target}: {most('vgpr_count')} registers, {spilled} spilled, {scratch} bytes of scratch", log)


def check_line(compilers, cache, line, wanted):
    """The TAP points of one line, without numbers."""
    points = []

    def point(passed, says, log=None, cached=False):
        points.append(f"{'ok' if passed else 'not ok'} - {line.name}: {says}{' (cached)' if cached else ''}")
        if not passed and log:
            points.extend(f"# {text}" for text in log.splitlines()[:40])

    try:
        text = line.text()
    except OSError as error:
        point(False, "files", str(error))
        return points
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "joined.cl")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        for kind in ("syntax", "nvidia", "amd"):
            ptx = None
            for target in line.targets(kind):
                if not compilers.identity[kind] or not (kind == "syntax" or wanted is None or target in wanted):
                    continue
                key = [RULES, compilers.identity[kind], target, text, *line.options, *sorted(line.flags)]
                says = cache.get(key)
                if says:
                    point(True, says, cached=True)
                    continue
                if kind == "syntax":
                    passed, says, log = check_syntax(compilers, line, source)
                elif kind == "amd":
                    passed, says, log = check_amd(compilers, line, target, source)
                else:
                    ptx = ptx or make_ptx(compilers, line, source)
                    passed, says, log = check_ptx(compilers, line, target, ptx[0]) if ptx[0] else (False, "nvidia", ptx[1])
                point(passed, says, log)
                if passed and "# SKIP" not in says:
                    cache.put(key, says)
                if not passed and ":" not in says:
                    break  # it does not compile: the same words for each of the others would add nothing
    return points


def main():
    parser = argparse.ArgumentParser(description="Compiles kernel combinations without a device. Prints TAP.")
    parser.add_argument("--all", action="store_true", help="every line for every target")
    parser.add_argument("--piece", default="1/1", help="I/N: every N-th line, from the I-th")
    parser.add_argument("--cache", default=os.path.join(kept(), "kernels"), help="folder; '' for none")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("KERNELS_JOBS") or os.cpu_count() or 1))
    parser.add_argument("list", nargs="?", default=LIST)
    parser.add_argument("pattern", nargs="?", default="")
    options = parser.parse_args()
    everything = options.all or options.pattern or os.environ.get("WAVEWARP_TEST_EXHAUSTIVE") == "1"

    print("TAP version 13")
    compilers = Compilers()
    if not compilers.clang:
        print("1..0 # SKIP no clang (Debian: clang-19, libclc-19)")
        return 0
    if not compilers.nvidia or not compilers.amd:
        print(f"# no libclc that {compilers.clang} can read for", "NVIDIA" if not compilers.nvidia else "",
              "AMD" if not compilers.amd else "")
    if not compilers.ptxas:
        print("# no ptxas: NVIDIA kernels are compiled to PTX and go no further")
    print(f"# {compilers.version.splitlines()[0]}", flush=True)

    lines = read_lines(options.list)
    piece, pieces = map(int, options.piece.split("/"))
    wanted = {}
    if not everything:
        number = seed()
        wanted = daily([line for line in lines if "syntax" not in line.flags], number)
        print(f"# WAVEWARP_TEST_ROTATION={number}: {len(wanted)} lines are compiled of {len(lines)}")
    # None: every target; else those of the targets that are asked for.
    jobs = [(line, None if everything else wanted.get(line, set()))
            for number, line in enumerate(lines)
            if number % pieces == piece - 1 and re.search(options.pattern, line.name)]
    cache = Cache(options.cache)
    count = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for points in pool.map(lambda job: check_line(compilers, cache, *job), jobs):
            for text in points:
                bad = text.startswith("not ok")
                if bad or text.startswith("ok"):
                    count += 1
                    failed += bad
                    text = text.replace("ok -", f"ok {count} -", 1)
                print(text, flush=True)
    print(f"1..{count}" if count else "1..0 # SKIP no combination matches")
    if piece == 1:
        cache.forget_old()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
