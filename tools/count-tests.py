#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts single test cases in Meson's test logs (meson-logs/testlog.json) and prints one line of them.

A test that speaks TAP counts once for each of its points, any other once. A test that failed as a whole (a crash, a
time-out, a wrong plan) counts as one failure more when none of its points says so.
The exit status is 0 when something passed and nothing failed. With --failed it prints the names of the tests that failed and
that use compiled kernels, one a line, instead.
"""
import json
import os
import re
import sys

POINT = re.compile(r"^(not )?ok\b(.*)$", re.MULTILINE)
SKIP = re.compile(r"#\s*SKIP", re.IGNORECASE)
CACHED = re.compile(r"^ok\b.*\(cached\)$", re.MULTILINE)
SKIP_ALL = re.compile(r"^1\.\.0\b", re.MULTILINE)


def count(test):
    """The (passed, failed, skipped) of one line of the log."""
    passed = failed = skipped = 0
    for bad, rest in POINT.findall(test.get("stdout") or ""):
        if SKIP.search(rest):
            skipped += 1
        elif bad:
            failed += 1
        else:
            passed += 1
    result = test["result"]
    if result in ("SKIP",) or (not passed + failed + skipped and SKIP_ALL.search(test.get("stdout") or "")):
        return passed, failed, max(skipped, 1)
    if result in ("OK", "EXPECTEDFAIL"):
        return (passed, failed, skipped) if passed + failed + skipped else (1, 0, 0)
    return passed, max(failed, 1), skipped


def failures(test, most=40):
    """The failed points with what they say about it, for a log that has to do without the terminal."""
    told, telling = [], False
    for line in (test.get("stdout") or "").splitlines():
        if not line.startswith("#"):
            telling = line.startswith(("not ok", "Bail out!")) and not SKIP.search(line)
        if telling:
            told.append("    " + line)
    return told[:most] or ["    " + line for line in (test.get("stdout") or "").splitlines()[-most:]]


def read(path):
    with open(path, encoding="utf-8") as log:
        return [json.loads(line) for line in log if line.strip()]


def print_failed(paths):
    for path in paths:
        for test in read(path) if os.path.exists(path) else []:
            if count(test)[1] and "POCL_CACHE_DIR" in (test.get("env") or {}):
                print(test["name"].split(" / ")[-1])


def main(paths):
    totals, cached = [0, 0, 0], 0
    for path in paths:
        try:
            lines = read(path)
        except OSError as error:
            print(f"{path}: {error.strerror}")
            totals[1] += 1
            continue
        for test in lines:
            counts = count(test)
            cached += len(CACHED.findall(test.get("stdout") or ""))
            if counts[1]:
                print(f"failed: {test['name']}: {counts[1]} of {sum(counts)} ({test['result']}, {path})")
                print("\n".join(failures(test)))
            totals = [total + one for total, one in zip(totals, counts)]
    if cached:
        print(f"{cached} of those that passed were computed in an earlier run and kept")
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 0 if totals[0] and not totals[1] else 1


if sys.argv[1:2] == ["--failed"]:
    print_failed(sys.argv[2:])
else:
    sys.exit(main(sys.argv[1:]))
