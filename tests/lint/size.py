#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes that a text may have. Prints TAP, one point a rule.

Usage: size.py [--list]

Each rule counts what is above its limit. tests/lint/size.txt has the count that each rule may reach: more is a failure, fewer
are a hint to lower it. There is no other excuse. --list prints what is counted.

Functions are found by a body that begins behind a parenthesis and ends with the first brace at a line's start; their complexity is one, and one for each branch and each
"&&" and "||". Members of a struct are counted with their declarators, not inside inner structs. A kernel text's
preprocessor lines are counted with their continuations, against all lines that are not empty or comments.
"""
import os
import re
import sys

import tap
from floors import files, read, without_comments

BASELINE = os.path.join("tests", "lint", "size.txt")
CODE = ["include", "host", "src", "cli", "kernels_cl", "bench", "mpi", "examples", "python"]
FILE_LINES, FUNCTION_LINES, COMPLEXITY, MEMBERS, MACRO_LINES, PREPROCESSOR = 700, 80, 30, 40, 3, 25


def blanked(text):
    """The text without comments, strings, characters and preprocessor lines, with the same lines."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', '""', without_comments(text))
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*", lambda found: "\n" * found.group().count("\n"), text, flags=re.MULTILINE)


def closing(text, at):
    """Where the brace that opens at `at` is closed."""
    depth = 0
    for found in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return found.start()
    return len(text)


def functions(path):
    """Name, lines and complexity of each function of a file. Bodies that the preprocessor chooses from are one each."""
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)\)?", "", blanked(read(path)))
    at = 0
    while (found := re.compile(r"(\w+)\s*\([^;{}]*\)\s*\{").search(text, at)):
        begin = found.end() - 1
        line = text.find("\n", begin)
        # By the layout: braces may be the preprocessor's choice.
        end = closing(text, begin) if "}" in text[begin:line] else text.find("\n}", begin) + 1
        end = end if end > begin else len(text)
        body = text[begin:end]
        branches = len(re.findall(r"\b(?:if|for|while|case|WWI_TRY|CLI_TRY)\b|&&|\|\||\?", body))
        yield found.group(1), text.count("\n", found.start(), end) + 1, branches + 1
        at = max(end, found.end())


def long_files():
    for path in files(CODE + ["tests", "tools"], (".c", ".h", ".cl", ".py", ".sh")):
        count = read(path).count("\n")
        if count > FILE_LINES:
            yield f"{path}: {count} lines"


def of_functions(which, limit, what):
    def rule():
        for path in files(CODE, (".c", ".h", ".cl")):
            for function in functions(path):
                if function[which] > limit:
                    yield f"{path}: {function[0]}: {function[which]} {what}"
    return rule


def long_structs():
    for path in files(CODE, (".c", ".h", ".cl")):
        text = blanked(read(path))
        for found in re.finditer(r"\b(?:struct|union)\s*(\w*)\s*\{", text):
            body = text[found.end():closing(text, found.end() - 1)]
            while (inner := re.search(r"\{[^{}]*\}", body)):
                body = body[:inner.start()] + body[inner.end():]
            body = re.sub(r"\([^()]*\)", "", body)  # a function's parameters
            members = sum(1 + declaration.count(",") for declaration in body.split(";") if declaration.strip())
            if members > MEMBERS:
                yield f"{path}: struct {found.group(1)}: {members} members"


def kernel_texts():
    return files(["kernels_cl"], (".cl",))


def long_macros():
    for path in kernel_texts():
        for found in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:.*\\\n)*.*", without_comments(read(path)), re.MULTILINE):
            count = found.group().count("\n") + 1
            if count > MACRO_LINES:
                yield f"{path}: {found.group(1)}: {count} lines"


def preprocessed():
    for path in kernel_texts():
        text = without_comments(read(path))
        lines = sum(1 for line in text.splitlines() if line.strip())
        own = sum(found.group().count("\n") + 1 for found in re.finditer(r"^[ \t]*#(?:.*\\\n)*.*", text, re.MULTILINE))
        if own * 100 > lines * PREPROCESSOR:
            yield f"{path}: {100 * own // max(lines, 1)} % are the preprocessor's"


def shared_names():
    rooms = {}
    for path in kernel_texts():
        for name in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", read(path), re.MULTILINE):
            rooms.setdefault(name, set()).add(os.path.basename(os.path.dirname(path)))
    yield from (f"{name}: in {', '.join(sorted(where))}" for name, where in rooms.items()
                if len(where) > 1 and where != {"recurrence", "base"})


RULES = [("files", f"files above {FILE_LINES} lines", long_files),
         ("functions", f"functions above {FUNCTION_LINES} lines", of_functions(1, FUNCTION_LINES, "lines")),
         ("complexity", f"functions of a complexity above {COMPLEXITY}", of_functions(2, COMPLEXITY, "branches")),
         ("structs", f"structs above {MEMBERS} members", long_structs),
         ("macros", f"macros of kernels above {MACRO_LINES} lines", long_macros),
         ("preprocessor", f"kernel texts above {PREPROCESSOR} % of preprocessor lines", preprocessed),
         ("names", "names of macros in two rooms of kernels", shared_names)]


def held(key, rule, baseline):
    def check():
        found, most = sorted(rule()), baseline.get(key, 0)
        if len(found) > most:
            yield f"{len(found)} for {most} in {BASELINE}:"
            yield from (f"  {line}" for line in found)
    return check


def main():
    baseline = {key: int(count) for key, count in re.findall(r"^(\w+) (\d+)", read(BASELINE), re.MULTILINE)}
    if sys.argv[1:] == ["--list"]:
        for key, name, rule in RULES:
            found = sorted(rule())
            print(f"{key}: {len(found)} {name} ({baseline.get(key, 0)} may be)", *found, sep="\n  ")
        return False
    failed = tap.report([(f"no more {name} than {baseline.get(key, 0)}", held(key, rule, baseline))
                       for key, name, rule in RULES])
    for key, name, rule in RULES:
        count = len(list(rule()))
        if count:
            print(f"# {count} {name}" + (f": lower {key} in {BASELINE}" if count < baseline.get(key, 0) else ""))
    return failed


sys.exit(main())
