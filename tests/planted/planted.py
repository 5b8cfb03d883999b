#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults, one at a time, in a copy of the tree and says whether the named tests find them.

    tests/planted/planted.py              every fault: found by which test, or NOT FOUND (exit status 1)
    tests/planted/planted.py WORD...      those whose name has one of these words
    tests/planted/planted.py --check      TAP: each fault's text is in the tree just once (a test of the suite lint)

The copy is build/planted/tree, built in build/planted/build with the caches of the release build. A fault belongs to
tests that the daily run has: what the change of a rule, a lock or a size breaks is found there, before it is merged.
"""
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PLACE = os.path.join(ROOT, "build", "planted")
TREE, BUILD = os.path.join(PLACE, "tree"), os.path.join(PLACE, "build")

# Name; file; text; what it becomes; tests of which one finds it.
FAULTS = [
    # host
    ("a lock left out where programs are released", "host/program.c",
     "    if (!forked)\n        (void)pthread_mutex_lock(&context->lock);\n    wwi_programs_drop_user(program);\n"
     "    if (!forked)\n        (void)pthread_mutex_unlock(&context->lock);\n",
     "    (void)forked;\n    wwi_programs_drop_user(program);\n", ["races in threads"]),
    ("a launch that failed is not noticed", "host/stream.c", "    if (state < 0 && !stream->failed) {",
     "    if (state < 0 && stream->failed) {", ["objects, one job", "threads"]),
    ("a lost device is not told as such", "host/error.c", "case CL_DEVICE_NOT_AVAILABLE:\n        return", "case CL_DEVICE_NOT_FOUND:\n        return",
     ["objects, one job"]),
    ("an object left behind by an error", "host/launch.c", "    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;",
     "    wwi_kernel *kernel = NULL;", ["objects, one job"]),
    # jobs on several devices
    ("a lock left out where several devices' matches are merged", "src/search/search_units.c",
     "    (void)pthread_mutex_lock(&seat->team->lock);\n"
     "    j->largest = fmax(j->largest, atomic_load(&own->joined.largest));\n    const ww_status status = ww_matches_merge("
     "s->query_count, s->places, s->similarity, j->matches, seat->own);\n"
     "    if (status == WW_OK)\n        lower_limits(j);\n    (void)pthread_mutex_unlock(&seat->team->lock);\n",
     "    j->largest = fmax(j->largest, atomic_load(&own->joined.largest));\n    const ww_status status = ww_matches_merge("
     "s->query_count, s->places, s->similarity, j->matches, seat->own);\n"
     "    if (status == WW_OK)\n        lower_limits(j);\n", ["races in devices"]),
    ("a failed device ends the job of all", "src/work/deal.c", "    case WW_ERROR_OPENCL:\n", "", ["schedule"]),
    # plans and their memory
    ("host memory of a plan is not freed", "src/jobs/nearest.c", "    free(n->initial);\n    free(n);\n",
     "    free(n->initial);\n", ["small"]),
    ("rows x columns x bytes in 32 bits", "src/jobs/plan.c", "(uint64_t)of.rows * of.columns * p->pair.value_bytes",
     "(uint32_t)(of.rows * of.columns * p->pair.value_bytes)", ["sizes"]),
    ("rows x columns in 32 bits, of neighbours", "src/jobs/nearest.c",
     "    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, rows * columns * size));",
     "    WWI_TRY(wwi_grow_buffer(p->pair.context, &p->out, (uint32_t)(rows * columns * size)));", ["sizes"]),
    ("points x points in 32 bits, of a selection", "src/topk/topk.c",
     "const uint64_t row_bytes = s->columns * s->value_bytes, best_bytes",
     "const uint64_t row_bytes = s->columns * s->value_bytes & 0xffff, best_bytes", ["sizes"]),
    # which of equal ones
    ("ties the other way round, work-groups and double", "kernels_cl/topk/topk.cl",
     "(a.bits == b.bits && a.index < b.index)", "(a.bits == b.bits && a.index > b.index)", ["edges"]),
    ("ties the other way round, a work-item a row", "kernels_cl/topk/topk.cl", "(a == b && ia > ib)", "(a == b && ia < ib)",
     ["edges"]),
    ("ties the other way round, of hashing", "kernels_cl/lsh/lsh_lists.cl", "(value == near_values[i]) & (id < near_ids[i])",
     "(value == near_values[i]) & (id > near_ids[i])", ["small"]),
    ("ties the other way round, of a profile", "kernels_cl/profile/profile_merge.cl", "best_id < 0 || id < best_id",
     "best_id < 0 || id > best_id", ["edges"]),
    ("ties the other way round, of joined lists", "src/topk/merge.c", "by_distance : (i > j) - (i < j)",
     "by_distance : (i < j) - (i > j)", ["shards"]),
    ("a query is its own neighbour", "src/knn/knn_run.c", ".exclude_self = b->own != WWI_NO_INDEX && !job->listed",
     ".exclude_self = false", ["edges"]),
    # bands, borders, exclusions
    ("a band's edge", "kernels_cl/base/band.cl", "b.m - i > b.right + 1 ? i + b.right + 1 : b.m",
     "b.m - i > b.right + 1 ? i + b.right : b.m", ["small"]),
    ("a band's edge on the host", "src/measure/band.c", "walk.left += minus_or_zero(n, m);", "walk.left += minus_or_zero(m, n);",
     ["band"]),
    ("the border of ERP", "kernels_cl/recurrence/erp.cl", "    return before + ww_gap(y, p);", "    return before;", ["small"]),
    ("the diagonal of LCSS without a match", "kernels_cl/recurrence/lcss.cl", "match > 0 ? diagonal + 1 : (real)-1",
     "match > 0 ? diagonal + 1 : diagonal", ["edges"]),
    ("a profile's exclusion", "src/profile/profile_flat.c", "listed[at] - i : i - listed[at]) <= p->exclusion)",
     "listed[at] - i : i - listed[at]) < p->exclusion)", ["edges"]),
    ("a search's exclusion", "src/search/search_candidates.c", "q->exclusion, s->options.k, picked);",
     "q->exclusion + 1, s->options.k, picked);", ["edges"]),
    # on the host alone
    ("complete linkage", "src/learn/agglomerate.c", "*bc = fmax(ac, *bc);", "*bc = fmin(ac, *bc);", ["cluster"]),
    ("the place of a pair in a condensed matrix", "src/learn/condensed.h", "return r * (2 * n - r - 1) / 2 + (j - i - 1);",
     "return r * (2 * n - r) / 2 + (j - i - 1);", ["cluster"]),
    ("the transposed square", "src/base/transpose.c", "(j * to_stride + i) * size, from + (i * from_stride + j)",
     "(j * to_stride + i) * size, from + (j * from_stride + i)", ["transpose"]),
    # files
    ("missing values are filled from the wrong side", "src/series/missing.c", "x[before] * (1 - share) + x[t] * share;",
     "x[before] * share + x[t] * (1 - share);", ["table"]),
    ("a store of other inputs is taken", "src/work/store_file.c", "memcmp(x, y, n) != 0) && !(i", "memcmp(x, y, n) != 0) && i != 2 && !(i",
     ["devices_store"]),
    ("a flag of a file that is no flag", "src/files/read_ts.c", 'wwi_span_is(word, "false"))\n        return WW_OK;',
     "true)\n        return WW_OK;", ["read"]),
    # the program
    ("control characters reach the terminal", "cli/base/escape.c", "character < 0x20 ||", "character < 0x1B ||",
     ["fuzz-command", "cli-arguments"]),
    ("the last part of a job is refused", "cli/base/division.c", "d->part > d->part_count)", "d->part >= d->part_count)",
     ["cli-store"]),
    # the Python package
    ("lists of the most similar are joined as if by distance", "python/wavewarp/_parts.py", "            bool(similarity),\n",
     "            False,\n", ["python"]),
]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check():
    print(f"TAP version 13\n1..{len(FAULTS)}")
    failed = False
    for number, (name, path, old, new, tests) in enumerate(FAULTS, 1):
        full = os.path.join(ROOT, path)
        count = read(full).count(old) if os.path.exists(full) else 0
        good = count == 1 and old != new and tests
        failed |= not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        if not good:
            print(f"# {path} has the text {count} times: give the fault the text as it is now")
    return failed


def run(*command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          **more)


def copy_tree():
    """The files as they are here, those that are not committed too; what is the same keeps its time."""
    names = [n for n in run("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard").stdout.splitlines() if os.path.exists(os.path.join(ROOT, n))]
    for name in names:
        to = os.path.join(TREE, name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if os.path.islink(os.path.join(ROOT, name)) or not os.path.exists(to) or open(to, "rb").read() != open(os.path.join(ROOT, name), "rb").read():
            shutil.copy2(os.path.join(ROOT, name), to, follow_symlinks=True)


def configure():
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        environment = dict(os.environ)
        if shutil.which("ccache"):
            environment.setdefault("CC", "ccache gcc")
        done = run("meson", "setup", BUILD, TREE, "-Dbuildtype=release", "-Dtests=enabled", "-Dmpi=disabled", env=environment)
        if done.returncode:
            sys.exit(done.stdout)
    kept = os.path.join(ROOT, "build", "release", "pocl-cache")
    if os.path.isdir(kept) and not os.path.lexists(os.path.join(BUILD, "pocl-cache")):
        os.symlink(kept, os.path.join(BUILD, "pocl-cache"))


def targets_of(names):
    """What ninja builds for these tests: their programs and what Meson says they need."""
    with open(os.path.join(BUILD, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
        tests = {test["name"]: test for test in json.load(file)}
    with open(os.path.join(BUILD, "meson-info", "intro-targets.json"), encoding="utf-8") as file:
        files = {target["id"]: target["filename"] for target in json.load(file)}
    unknown = [name for name in names if name not in tests]
    if unknown:
        sys.exit(f"there is no test {unknown[0]}")
    found = [path for name in names for need in tests[name]["depends"] for path in files.get(need, [])]
    found += [word for name in names for word in tests[name]["cmd"] if word.startswith(BUILD + os.sep)]
    return sorted({os.path.relpath(path, BUILD) for path in map(os.path.normpath, found) if path.startswith(BUILD + os.sep)})


def build(names):
    targets = targets_of(names)
    done = run("ninja", "-C", BUILD, *(targets if "python" not in names else []))
    return done.returncode == 0, done.stdout


def first_failure(log):
    return next((line.strip() for line in log.splitlines() if line.lstrip("▶ ").startswith(("not ok", "# failed")) or " FAIL" in line or "data race" in line), "")


def plant(fault):
    """The test that finds it, or None; "?" with a word where the fault can't be tried."""
    _, path, old, new, tests = fault
    target = os.path.join(TREE, path)
    text = read(target)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    try:
        good, said = build(tests)
        if not good:
            return "the compiler" if "error:" in said else None, said
        for test in tests:
            done = run("meson", "test", "-C", BUILD, "--no-rebuild", "--print-errorlogs", "-t", "10", test)
            if done.returncode:
                return test, first_failure(done.stdout)
        return None, ""
    finally:
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)


def main(words):
    faults = [fault for fault in FAULTS if not words or any(word in fault[0] for word in words)]
    copy_tree()
    configure()
    missed = 0
    for fault in faults:
        found, said = plant(fault)
        missed += found is None
        print(f"{fault[0]} ({fault[1]}): {'found by ' + found if found else 'NOT FOUND'}", flush=True)
        if said:
            print(f"    {said.strip().splitlines()[0][:160]}", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} found")
    return missed > 0


sys.exit(check() if sys.argv[1:] == ["--check"] else main(sys.argv[1:]))
