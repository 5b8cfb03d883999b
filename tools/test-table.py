#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the processor time of a test run went: prints a table, and keeps it.

    tools/test-table.py [--extent NAME] [--since FILE] [--kernels FOLDER] LOG...

LOG        Meson's logs (testlog.json), of tests that ran under tools/measured
--since    counts what PoCL compiled after this file was written
--kernels  PoCL's cache
--extent   daily, quick or exhaustive: which earlier table this one is compared with

The table is build/test-table.txt and .json. Under WAVEWARP_TEST_CACHE the last one of each extent is kept, for the
difference that the next run prints.
"""
import argparse
import hashlib
import json
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
TIME = re.compile(r"^# processor time: (\d+)m([\d.]+)s (\d+)m([\d.]+)s$", re.MULTILINE)
ROWS = 25  # tests that are printed; the files have all


def read_tests(paths):
    """{test: seconds}; a test of the sanitizer build has another name than that of the release build."""
    tests, unknown = {}, 0
    for path in paths:
        try:
            with open(path, encoding="utf-8") as log:
                lines = [json.loads(line) for line in log if line.strip()]
        except OSError:
            continue  # tools/count-tests.py says so
        for test in lines:
            found = TIME.findall(test.get("stdout") or "")
            if not found:  # ended by a signal, or a line of tools/test's own
                unknown += 1
                continue
            minutes, seconds, system_minutes, system_seconds = map(float, found[-1])
            folder = " ".join(test.get("command") or [])
            name = ("sanitized " if "build/sanitize" in folder else "") + test["name"].split(" / ")[-1]
            tests[name] = tests.get(name, 0) + 60 * (minutes + system_minutes) + seconds + system_seconds
    return tests, unknown


def read_kernels(folder, since):
    """What PoCL compiled: programs and kernels, and of them those whose code there is twice."""
    start = os.stat(since).st_mtime
    codes, kernels, sizes = [], 0, 0
    for path, folders, names in os.walk(folder):
        if "program.bc" in names and os.stat(os.path.join(path, "program.bc")).st_mtime >= start:
            with open(os.path.join(path, "program.bc"), "rb") as file:
                codes.append(hashlib.sha256(file.read()).digest())
        made = [name for name in names if name.endswith(".so") and os.stat(os.path.join(path, name)).st_mtime >= start]
        kernels += len(made)
        # A kernel's folder has one folder for each size of groups.
        sizes += len(made) if made and len(os.listdir(os.path.dirname(path))) > 1 else 0
    return {"programs": len(codes), "programs of equal code": len(codes) - len(set(codes)), "kernels": kernels,
            "kernels for several sizes of groups": sizes}


def difference(now, before):
    return f" ({now - before:+.0f})" if before is not None else ""


def main():
    parser = argparse.ArgumentParser(description="Where the processor time of a test run went.")
    parser.add_argument("--extent", default="daily")
    parser.add_argument("--since")
    parser.add_argument("--kernels")
    parser.add_argument("logs", nargs="*")
    options = parser.parse_args()
    tests, unknown = read_tests(options.logs)
    kernels = read_kernels(options.kernels, options.since) if options.kernels and options.since else {}
    kept = os.path.join(os.environ.get("WAVEWARP_TEST_CACHE") or os.path.join(ROOT, "build"), f"test-table-{options.extent}.json")
    before = {"tests": {}, "kernels": {}}
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            before = json.load(file)

    def rows(count):
        for name in sorted(tests, key=tests.get, reverse=True)[:count]:
            yield f"{tests[name]:8.1f}{difference(tests[name], before['tests'].get(name))} {name}"
    total, earlier = sum(tests.values()), sum(before["tests"].values()) or None
    end = [f"{total:8.1f}{difference(total, earlier)} seconds of processor time in {len(tests)} tests"
           + (f"; {unknown} not measured" if unknown else "")]
    if kernels:
        end.append("PoCL compiled " + ", ".join(
            f"{count}{difference(count, before['kernels'].get(what))} {what}" for what, count in kernels.items()))
    print("== processor seconds, and the difference to the table before" if before["tests"] else "== processor seconds")
    print("\n".join([*rows(ROWS), *end]))
    table = json.dumps({"tests": tests, "kernels": kernels}, indent=1)
    text = "\n".join([*rows(len(tests)), *end]) + "\n"
    for path, content in ((os.path.join(ROOT, "build", "test-table.txt"), text),
                          (os.path.join(ROOT, "build", "test-table.json"), table), (kept, table)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)


main()
