#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the public headers as text and counts the declarations that do not say what a caller has to know. Prints TAP.

Usage: headers.py SOURCE [LIBRARY]   LIBRARY: the shared library, whose symbols must be the declared functions.

Every function: *Thread-safety* and *Blocking*. One that returns a status: \\return, and the unused-result attribute
(WW_API_STATUS). One that makes or hands out something: *Ownership*. Functions without an empty line between them share a
comment. Every struct that may grow starts with struct_size, is not nested in another by value, and has its _INIT value
and is known to ww_struct_init(), unless the library alone fills it.
"""
import glob
import os
import re
import subprocess
import sys

# Structs that the library fills and hands out by pointer: no program has one of its own.
LIBRARYS_OWN = {"ww_error", "ww_measure_info", "ww_tune_result"}
# Structs that never change: the reason is at their declaration.
FROZEN = {"ww_band", "ww_match", "ww_merge", "ww_parameter_info", "ww_profile_motif"}
INIT_BY_FUNCTION = {"ww_measure"}  # its defaults are those of an id: there is no one _INIT value

count, failed = 0, False


def point(text, found):
    global count, failed
    count += 1
    print(f"{'not ok' if found else 'ok'} {count} - {text}")
    for line in found[:20]:
        print(f"# {line}")
    failed = failed or bool(found)


def functions(path):
    """Name, return type, parameters and comment of each function that a header declares."""
    comment, statement, shared = [], "", ""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for line in lines:
        text = line.strip()
        if statement:
            statement += " " + text
        elif text.startswith("///"):
            if shared:
                shared = ""
            comment.append(text[3:].strip())
            continue
        elif text.startswith("WW_API"):
            statement = text
        else:
            comment, shared = ([], "") if text == "" or not text.startswith("///") else (comment, shared)
            continue
        if statement.endswith(";"):
            shared = shared or " ".join(comment)
            match = re.match(r"(WW_API(?:_STATUS)?)\s+(.*?)(ww_\w+)\((.*)\);$", statement)
            if match:
                yield match[3], (match[1] + " " + match[2]).strip(), match[4], shared
            comment, statement = [], ""


def structs(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for match in re.finditer(r"typedef struct (ww_\w+) \{(.*?)\n\} \1;", text, re.S):
        yield match[1], re.sub(r"//.*", "", match[2])


def promised(source):
    """The symbols that Debian's package promises its users, and with it the library its own."""
    with open(os.path.join(source, "packaging", "debian", "libwavewarp1.symbols"), encoding="utf-8") as file:
        return set(re.findall(r"^ (ww_\w+)@WAVEWARP_1 ", file.read(), re.M))


def main(source, library):
    headers = sorted(glob.glob(os.path.join(source, "include", "wavewarp", "*.h")))
    found = {key: [] for key in ("thread", "block", "return", "own", "unused", "first", "nested", "macro", "init")}
    names, all_text = [], ""
    for path in headers:
        with open(path, encoding="utf-8") as file:
            all_text += file.read()
        for name, result, parameters, comment in functions(path):
            where = f"{os.path.basename(path)}: {name}"
            names.append(name)
            if "*Thread-safety*" not in comment:
                found["thread"].append(where)
            if "*Blocking*" not in comment:
                found["block"].append(where)
            is_status = "WW_API_STATUS" in result
            if is_status and "\\return" not in comment:
                found["return"].append(where)
            if "ww_status" in result.replace("WW_API_STATUS", "") and "*" not in result and "ww_status_name" != name:
                found["unused"].append(where)
            makes = re.search(r"ww_\w+ \*\*\w+", parameters) and not re.search(r"_(destroy|close)$", name)
            if (makes or "*" in result) and "*Ownership*" not in comment:
                found["own"].append(where)
    grown = {}
    with open(os.path.join(source, "src", "base", "structs.c"), encoding="utf-8") as file:
        known = file.read()
    for path in headers:
        for name, body in structs(path):
            if name not in FROZEN:
                grown[name] = body
                if not re.match(r"\s*size_t struct_size;", body):
                    found["first"].append(name)
    for name, body in grown.items():
        for other in grown:
            if re.search(rf"\b{other}\s+\w+[;\[,]", body):
                found["nested"].append(f"{name} holds a {other}")
        if name in LIBRARYS_OWN:
            continue
        if name not in INIT_BY_FUNCTION and f"#define {name.upper()}_INIT" not in all_text:
            found["macro"].append(name)
        if name not in INIT_BY_FUNCTION and f"STRUCT({name[3:]}, " not in known:
            found["init"].append(name)
    print("TAP version 13")
    point(f"each of {len(names)} functions names its thread-safety", found["thread"])
    point("each function says whether it blocks", found["block"])
    point("each function that returns a status names those it returns", found["return"])
    point("each function that makes or hands out something says whose it is", found["own"])
    point("the compiler warns about every status that is not looked at", found["unused"])
    point(f"each of {len(grown)} structs that may grow starts with its size", found["first"])
    point("no struct that may grow is nested by value", found["nested"])
    point("each struct that a program fills has an _INIT value", found["macro"])
    point("ww_struct_init() knows each struct that a program fills", found["init"])
    point("packaging/debian/libwavewarp1.symbols lists each function, with the version that it came in, and no other",
          sorted(f"{name} is {'not listed' if name in names else 'listed, but gone: that takes a new soversion'}"
                 for name in promised(source).symmetric_difference(names)))
    if library and os.path.exists(library):
        listed = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True)
        exported = {line.split()[2].split("@")[0] for line in listed.stdout.splitlines() if " A " not in line}
        point("the shared library exports what is declared, and nothing else",
              sorted(f"{name} is {'not exported' if name in names else 'not declared'}"
                     for name in exported.symmetric_difference(names)))
    print(f"1..{count}")
    return failed


sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
