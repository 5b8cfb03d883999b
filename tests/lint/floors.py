#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The order of the folders, and what each file begins with. Prints TAP, one point a rule.

A folder includes only itself and folders above it in FLOORS; headers have no circle of includes, files none of calls; of
the engines other rooms see a few headers; the program, the bench and the examples see public headers alone; a kernel text
uses no name that a room below it defines, and what C and kernels share has no public name. A source file says what is in it
at its head. size.py limits lengths.
"""
import os
import re
import sys

import tap

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# From the top, which everybody may use, to the bottom. A line's folders do not know each other.
FLOORS = [["host"], ["src/base"], ["src/work"], ["src/series"], ["src/files"], ["src/measure"], ["src/data"], ["src/topk"],
          ["src/engine"], ["src/pairing"], ["src/jobs"], ["src/gradient"], ["src/path"], ["src/knn"], ["src/lsh"], ["src/index"], ["src/learn"],
          ["src/search", "src/shapelets", "src/profile"]]
# Of src/engine/ other rooms see these; two files that launch its kernels by themselves see more.
ENGINE = {"engine.h", "bands.h", "parameters.h"}
INSIDE = {"src/path/costs.c", "src/path/path_find.c", "src/path/path_tiles.c"}
# What is below in kernels_cl/. base/ and recurrence/ are joined in turns: the elements are made of the recurrence's.
KERNEL_FLOORS = [["base", "recurrence", "probe"], ["engine"], ["topk"], ["gradient", "jobs", "knn", "path"],
                 ["index", "lsh", "search", "shapelets", "profile"]]
SOURCES = ["include", "host", "src", "cli", "kernels_cl", "tests", "bench", "mpi", "examples"]


def files(folders, ends):
    for folder in folders:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if name.endswith(ends):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found.group().count("\n"), text, flags=re.DOTALL)


def resolve(path, name):
    """The file of the tree that an include means, or None."""
    for folder in (os.path.dirname(path), "src", "host", "kernels_cl", "include", "tests", "bench", "cli", "mpi"):
        found = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(os.path.join(ROOT, found)):
            return found
    return None


def includes(path):
    """(line, file) of each include of a file of the tree."""
    for number, line in enumerate(read(path).splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<(wavewarp/[^>]+)>)', line)
        target = found and resolve(path, found.group(1) or found.group(2))
        if target:
            yield number, target


def folder_of(path):
    """A header that C and kernels share belongs to the room of its name in src/; the one that begins each program to the host."""
    parts = path.split("/")
    if path == "kernels_cl/base/option_names.h":
        return "host"
    if parts[0] == "kernels_cl" and path.endswith(".h"):
        return "src/" + parts[1]
    return "/".join(parts[:2]) if parts[0] == "src" and len(parts) > 2 else parts[0]


def floor_of(floors, folder):
    return next((number for number, names in enumerate(floors) if folder in names), None)


def floors():
    for path in [*files(["host", "src"], (".c", ".h")), *files(["kernels_cl"], ".h")]:
        own = floor_of(FLOORS, folder_of(path))
        if own is None:
            yield f"{path}: {folder_of(path)} is not in the list of floors"
            continue
        for number, target in includes(path):
            floor = floor_of(FLOORS, folder_of(target))
            public = target.startswith("include/")
            if not public and (floor is None or floor > own or (floor == own and folder_of(target) != folder_of(path))):
                yield f"{path}:{number}: {folder_of(path)} is not below {folder_of(target)}"


def first_circle(graph):
    """The circles of a graph that a walk through it meets first: path by path, each as one line."""
    done = set()

    def visit(path, way):
        if path in way:
            yield " -> ".join(way[way.index(path):] + [path])
        elif path not in done:
            for target in graph.get(path, []):
                yield from visit(target, way + [path])
            done.add(path)
    for path in graph:
        yield from visit(path, [])


def circles():
    yield from first_circle({path: [target for _, target in includes(path)]
                             for path in files(["include", "host", "src", "kernels_cl"], ".h")})


def circles_of_calls():
    text = {path: re.sub(r'"(?:\\.|[^"\\\n])*"', '""', without_comments(read(path))) for path in files(["host", "src"], ".c")}
    defined = {}
    for path in text:
        for name in re.findall(r"^(?!static\b)\w[\w *]*?\b(wwi?_\w+)(?:\([^;{}]*\) \{| = \{)", text[path], re.MULTILINE):
            defined[name] = path
    yield from first_circle({path: sorted({defined[name] for name in re.findall(r"\bwwi?_\w+", text[path])
                                           if defined.get(name, path) != path}) for path in text})


def engine_doors():
    for path in files(["src"], (".c", ".h")):
        for number, target in includes(path):
            if (folder_of(target) == "src/engine" != folder_of(path) and os.path.basename(target) not in ENGINE
                    and path not in INSIDE):
                yield f"{path}:{number}: {target} is the engines' own"


def outside():
    for path in files(["cli", "bench", "mpi", "examples"], (".c", ".h")):
        for number, target in includes(path):
            # The bench compares with the references of the tests, and speaks as the program does.
            allowed = (folder_of(path), "include") + {"bench": ("cli", "tests"), "mpi": ("cli",)}.get(folder_of(path), ())
            if folder_of(target) not in allowed:
                yield f"{path}:{number}: includes {target}"


def kernel_floors():
    room = {path: path.split("/")[1] for path in files(["kernels_cl"], (".cl", ".h"))}
    text = {path: without_comments(read(path)) for path in room}
    defined = {}
    for path in room:
        for name in re.findall(r"^#\s*define\s+(\w+)|^[\w ]*\b(ww_\w+)\([^;]*?\)\s*\{", text[path], re.MULTILINE):
            defined.setdefault(name[0] or name[1], set()).add(room[path])
    for path in room:
        own = floor_of(KERNEL_FLOORS, room[path])
        if own is None:
            yield f"{path}: {room[path]} is not in the list of floors"
            continue
        for number, line in enumerate(text[path].splitlines(), 1):
            for name in set(re.findall(r"\b(?:ww|WW|WWK)_\w+", line)):
                rooms = defined.get(name, set())
                if rooms and all((floor_of(KERNEL_FLOORS, r) or 0) > own for r in rooms):
                    yield f"{path}:{number}: {name} is of {', '.join(sorted(rooms))}"


def shared_names():
    public = {name for path in files(["include"], ".h") for name in re.findall(r"\b(?:ww|WW)_\w+", without_comments(read(path)))}
    for path in files(["kernels_cl"], ".h"):
        for name in re.findall(r"^#\s*define\s+(\w+)|^} (\w+);", read(path), re.MULTILINE):
            if public & set(name):
                yield f"{path}: {''.join(name)} is a public name"


def heads():
    for path in files(SOURCES, (".c", ".h", ".cl")):
        lines = [line for line in read(path).splitlines() if "SPDX-License-Identifier" not in line]
        first = next((line for line in lines if line.strip()), "")
        if not first.startswith(("//", "/*")):
            yield f"{path}: says nothing of what is in it"


def main():
    rules = [("a folder includes only folders above it", floors), ("headers do not include each other in a circle", circles),
             ("no file calls another in a circle", circles_of_calls),
             ("other rooms see of the engines what is for them", engine_doors),
             ("the program, the bench and the examples include public headers alone", outside),
             ("a kernel text uses no name of a room below it", kernel_floors),
             ("what C and kernels share has no public name", shared_names),
             ("a source file says at its head what is in it", heads)]
    return tap.report(rules)


if __name__ == "__main__":
    sys.exit(main())
