#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tuning parameters are few and alive. Prints TAP, one point a rule.

Usage: tuning.py SOURCE

A name in host/tuning_table.c is read by the library, and somebody sets it: the tuner tries it, the shipped file has it, or a
test or the bench sets it. A size that nobody sets is a constant where it is used. And every name that the library reads
is in the table. Forms for tests are one entry of it, "form.*": what tests set is what the library looks up.
"""
import glob
import os
import re
import sys

import tap
from floors import without_comments

ROOT = os.path.normpath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
# These parse lines of tuning files; they run nothing with them.
PARSERS = ("tests/host/test_host_text.c", "tests/fuzz/")
NAME = r"[a-z]+\.[a-z_]+[a-z_0-9]*"


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def sources(folder, *ends):
    for path in sorted(glob.glob(os.path.join(ROOT, folder, "**"), recursive=True)):
        name = os.path.relpath(path, ROOT)
        if os.path.isfile(path) and path.endswith(ends) and not name.startswith(PARSERS):
            yield name


def table():
    """Name, without the end of a family, to whether the tuner tries it."""
    text = read("host/tuning_table.c")
    names = {}
    for found in re.finditer(rf'(TRIED|FIXED)\(\s*"({NAME})(?:\.\*)?",', text):
        names[found.group(2)] = found.group(1) == "TRIED"
    return names


def named_in(paths):
    # Alone, or behind "default" and its like; not in comments.
    return {found for path in paths for line in without_comments(read(path)).splitlines() if not line.startswith("#")
            for found in re.findall(rf"(?<![\w.])({NAME})(?![\w])", line)}


def unset():
    names = table()
    if not names:
        yield "host/tuning_table.c: no names found"
    set_somewhere = named_in(["data/tuning.txt", *sources("tests", ".c", ".h", ".sh"), *sources("bench", ".c")])
    for name, tried in names.items():
        if not tried and name not in set_somewhere and not any(other.startswith(name + ".") for other in set_somewhere):
            yield f"{name}: nobody sets or tries it"


def looked_up():
    paths = [path for folder in ("src", "host") for path in sources(folder, ".c") if path != "host/tuning_table.c"]
    return {found for path in paths for found in re.findall(rf'"({NAME})"', read(path))}


def unread():
    found = looked_up()
    yield from (f"{name}: nothing reads it" for name in table() if name not in found)


def forms():
    tests = {name for name in named_in(sources("tests", ".c", ".h", ".sh")) if name.startswith("form.")}
    library = {name for name in looked_up() if name.startswith("form.")}
    yield from (f"{name}: no test sets it" for name in sorted(library - tests))
    yield from (f"{name}: tests set it, the library does not look it up" for name in sorted(tests - library))
    if not library:
        yield "no forms found"


def unknown():
    names, prefixes = table(), {name.split(".")[0] for name in table()}
    for path in [path for folder in ("src", "host") for path in sources(folder, ".c")]:
        for call in re.findall(rf'tuned?(?:ing)?\w*\([^;]*?"({NAME})"', read(path)):
            if call.split(".")[0] in prefixes and call not in names:
                yield f"{path}: {call} is not in host/tuning_table.c"


def main():
    return tap.report([("every tuning parameter is set or tried by somebody", unset),
                       ("every tuning parameter is read", unread),
                       ("every tuning parameter that is read is in the table", unknown),
                       ("every form that tests set is looked up", forms)])


sys.exit(main())
