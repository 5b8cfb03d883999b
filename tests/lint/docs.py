#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names that the pages use exist. Prints TAP, one point a rule.

Usage: docs.py SOURCE

Of docs/*.md, README.md and CONTRIBUTING.md: every ww_... and WW_... name is one of the sources, every path of the tree is
there, every --option is one of the program, the bench or the tools that the pages speak of. A name that ends in "_" or
"..." stands for all that begin so. The recipes of packaging/ name options and commands that exist. The tables of docs/performance.md are those of its data. CHANGELOG.md is not looked at: it names what is gone.
"""
import glob
import os
import re
import subprocess
import sys

import tap

ROOT = os.path.normpath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDERS = "include|host|src|cli|kernels_cl|tests|bench|examples|docs|tools|cmake|data"
# Options of other programs that the pages tell how to call, and compilers' long options.
FOREIGN = {"--suite", "--no-rebuild", "--cflags", "--libs", "--static"}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def texts(folders, ends):
    for folder in folders:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            yield from (read(os.path.join(path, name)) for name in sorted(names) if name.endswith(ends))


def pages():
    names = sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))) + [os.path.join(ROOT, n) for n in ("README.md", "CONTRIBUTING.md")]
    for path in names:
        for number, line in enumerate(read(path).splitlines(), 1):
            yield f"{os.path.relpath(path, ROOT)}:{number}", line


def unknown_names():
    source = "\n".join(texts(["include", "host", "src", "kernels_cl", "cli"], (".h", ".c", ".cl", ".txt", "meson.build")))
    known = set(re.findall(r"\b(?:ww|WW)[A-Za-z]*_\w+", source))
    # Names that the sources make of parts: WW_P_ and a parameter's, ww_ and a struct's and _init.
    known |= {f"WW_{kind}_{name}" for kind in "PIL" for name in re.findall(r'\{"(\w+)", [-\d.]', source)}
    known |= {f"WW_{kind}_p{number}" for kind in "PI" for number in range(8)}
    for where, line in pages():
        for found in re.finditer(r"\b(?:ww|wwi|WW|WWI|WWK)_\w*", line):
            name, behind = found.group(), line[found.end():]
            begins = name.endswith("_") or behind.startswith(("...", "*"))
            if name not in known and not (begins and any(k.startswith(name) for k in known)):
                yield f"{where}: {name}"


def unknown_paths():
    for where, line in pages():
        for found in re.finditer(rf"(?<![\w/.<-])(?:{FOLDERS})/[\w./*-]*", line):
            path = found.group().rstrip(".")
            if "NAME" not in path and not glob.glob(os.path.join(ROOT, path)):
                yield f"{where}: {path}"
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", line):
            folder = os.path.dirname(where.split(":")[0])
            if not os.path.exists(os.path.join(ROOT, folder, link)):
                yield f"{where}: link to {link}"


def headings(path):
    """The places of a page that a link can name, as GitHub and the site make them of its headings."""
    text = re.sub(r"^```.*?^```", "", read(path), flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def unknown_headings():
    for where, line in pages():
        page = os.path.join(ROOT, where.split(":")[0])
        for link, place in re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", line):
            to = os.path.normpath(os.path.join(os.path.dirname(page), link)) if link else page
            if to.endswith(".md") and os.path.exists(to) and place not in headings(to):
                yield f"{where}: {link}#{place}"


def statuses_left_out():
    """Statuses that docs/errors.md does not explain, with their numbers."""
    page = read(os.path.join(ROOT, "docs", "errors.md"))
    for name, number in re.findall(r"(WW_(?:OK|ERROR_\w+)) = (\d+)", read(os.path.join(ROOT, "include", "wavewarp", "status.h"))):
        if f"| {number} | `{name}` |" not in page:
            yield f"docs/errors.md: no row of {number}, {name}"


def long_readme():
    lines = len(read(os.path.join(ROOT, "README.md")).splitlines())
    if lines > 120:
        yield f"README.md has {lines} lines: 120 at most"


def unknown_options():
    # As the program and the bench declare them, and as scripts read them.
    known = set(FOREIGN)
    for text in texts(["cli", "bench", "mpi"], (".c", ".h")):
        known |= {"--" + name for name in re.findall(r'(?:\{|CLI_(?:OPTION|SWITCH|NUMBER|ONE_OF|ONE_OF_OR_NONE)\()[\s\\]*"([a-z][a-z0-9-]*)",', text)}
        known |= set(re.findall(r'"(--[a-z][a-z0-9-]+)', text))
    scripts = list(texts(["tests/lint"], (".py",))) + [read(path) for path in glob.glob(os.path.join(ROOT, "tools", "*"))
                                                       if os.path.isfile(path)]
    for text in scripts:
        known |= set(re.findall(r"--[a-z][a-z0-9-]+", re.sub(r'""".*?"""', "", text, flags=re.DOTALL)))
    for where, line in pages():
        for found in re.finditer(r"(?<![\w-])--[a-z][a-z0-9-]*", line):
            if found.group() not in known:
                yield f"{where}: {found.group()}"


def commands_without_page():
    """A command is in the program's overview and in docs/cli.md, with its JSON, and has a manual page of its own."""
    commands = re.findall(r'^    \{"([a-z]+)",', read(os.path.join(ROOT, "cli/commands/dispatch.c")), re.M)
    for name in commands:
        if not re.search(rf"^\.BI? {name}\b", read(os.path.join(ROOT, "docs/wavewarp.1")), re.M):
            yield f"docs/wavewarp.1: {name}"
        if f"\n| `{name}" not in read(os.path.join(ROOT, "docs/cli.md")):
            yield f"docs/cli.md: {name}"
        if f"'{name}'" not in read(os.path.join(ROOT, "docs/meson.build")) and name != "bench":  # which has a page of another source
            yield f"docs/meson.build: {name}"
        told = read(os.path.join(ROOT, "docs/cli.md")).split("\n## JSON\n")[1].split("\n## ")[0]
        if not re.search(rf"^\|[^|]*`{name}[ `]", told, re.M) and name != "merge":  # which has that of the job's command
            yield f"docs/cli.md: what --json of {name} has"
    if not commands:
        yield "cli/commands/dispatch.c: no commands found"


def old_tables():
    tool = os.path.join(ROOT, "tools", "performance-table.py")
    found = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True, check=False)
    if found.returncode:
        yield found.stderr or "docs/performance.md: run tools/performance-table.py"


def old_packages():
    """The recipes of packaging/ give options that there are, to commands that there are, of this version."""
    known = set(re.findall(r"^option\('(\w+)'", read(os.path.join(ROOT, "meson_options.txt")), re.M)) | {"buildtype", "default_library"}
    version = re.search(r"version: '([\d.]+)'", read(os.path.join(ROOT, "meson.build"))).group(1)
    commands = set(re.findall(r'^    \{"([a-z]+)",', read(os.path.join(ROOT, "cli/commands/dispatch.c")), re.M))
    recipes = [path for path in glob.glob(os.path.join(ROOT, "packaging", "*", "*")) if path.endswith((".yaml", ".py", "rules"))]
    for path in recipes:
        text, name = read(path), os.path.relpath(path, ROOT)
        yield from (f"{name}: -D{option}" for option in re.findall(r"-D(\w+)=", text) if option not in known)
        yield from (f"{name}: wavewarp {c}" for c in re.findall(r"^ *- wavewarp ([a-z]+)", text, re.M) if c not in commands)
        yield from (f"{name}: version {v}" for v in re.findall(r'^ *version: "([\d.]+)"', text, re.M) if v != version)
    page = read(os.path.join(ROOT, "include/wavewarp/status.h"))
    numbers = [re.search(rf"#define WW_VERSION_{part} (\d+)", page).group(1) for part in ("MAJOR", "MINOR", "PATCH")]
    for name, found in (("include/wavewarp/status.h", ".".join(numbers)),
                        ("CITATION.cff", re.search(r"^version: (\S+)", read(os.path.join(ROOT, "CITATION.cff")), re.M).group(1)),
                        ("docs/wavewarp.1", re.search(r'"wavewarp ([\d.]+)"', read(os.path.join(ROOT, "docs/wavewarp.1"))).group(1)),
                        ("packaging/debian/changelog", re.search(r"\(([\d.]+)-", read(os.path.join(ROOT, "packaging/debian/changelog"))).group(1)),
                        ("CHANGELOG.md", (re.findall(r"^## ([\d.]+)", read(os.path.join(ROOT, "CHANGELOG.md")), re.M) + [""])[0])):
        if found != version:
            yield f"{name}: version {found}, not {version}"
    if len(recipes) < 3:
        yield "packaging: recipes of Debian, conda and Spack expected"


def main():
    rules = [("the pages name functions, types and macros that exist", unknown_names),
             ("the pages name files and folders that exist", unknown_paths),
             ("links name headings that exist", unknown_headings),
             ("the page of errors has each status", statuses_left_out), ("the first page is short", long_readme),
             ("the pages name options that exist", unknown_options),
             ("every command has its pages", commands_without_page),
             ("the recipes of packages are up to date", old_packages),
             ("the tables of measured speed are those of docs/performance/", old_tables)]
    return tap.report(rules)


sys.exit(main())
