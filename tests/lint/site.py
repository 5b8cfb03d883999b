#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site can be built from the pages without a warning. Prints TAP, one point a rule.

Usage: site.py SOURCE OUT [PACKAGE [PROGRAM]]      PACKAGE, PROGRAM: as docs/site/build.py takes them; "" for none

Skipped where Sphinx, breathe, numpydoc, myst-parser or doxygen is missing.
"""
import glob
import html
import os
import re
import subprocess
import sys
import urllib.parse

import tap

SOURCE, OUT, PACKAGE, PROGRAM = (sys.argv[1:5] + ["", ""])[:4]
HTML = os.path.join(OUT, "html")


def build():
    """The builder's exit status and what it says."""
    told = [*(["--package", PACKAGE] if PACKAGE else []), *(["--program", PROGRAM] if PROGRAM else [])]
    command = [sys.executable, os.path.join(SOURCE, "docs", "site", "build.py"), OUT, "--strict", *told]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    return made.returncode, made.stdout + made.stderr


def warnings():
    if STATUS:
        yield from TEXT.splitlines()[:20] or ["docs/site/build.py failed"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def broken_links():
    """Links within the site that lead nowhere: no file, or no such place in it."""
    pages = {path: read(path) for path in glob.glob(os.path.join(HTML, "**", "*.html"), recursive=True)}
    places = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages.items()}
    for path, text in sorted(pages.items()):
        for found in sorted(set(re.findall(r'\b(?:href|src)="([^"]+)"', text))):
            link, _, place = html.unescape(found).partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(link))) if link else path
            if not os.path.exists(to) or place and to in places and urllib.parse.unquote(place) not in places[to]:
                yield f"{os.path.relpath(path, HTML)}: {found}"


def foreign_files():
    """Scripts, styles and pictures that a browser would fetch from elsewhere: the site works without a network."""
    for path in glob.glob(os.path.join(HTML, "**", "*.html"), recursive=True):
        for found in re.findall(r'<(?:script|img)[^>]+src="(https?:[^"]+)"|<link[^>]+stylesheet[^>]+href="(https?:[^"]+)"', read(path)):
            yield f"{os.path.relpath(path, HTML)}: {''.join(found)}"


def commands_left_out():
    """Commands of the program whose help is not on its page."""
    if PROGRAM:
        page = read(os.path.join(HTML, "reference", "program.html"))
        said = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^  (\w+) ", said, re.M)
        yield from [name for name in names if f"Usage: wavewarp {name}" not in page] if names else ["none is known"]


def hidden_signatures():
    """Classes of the package whose parameters are not on their page, and members of NumPy's arrays that are."""
    for path in glob.glob(os.path.join(HTML, "reference", "python", "*.html")):
        text = read(path)
        for name, line in re.findall(r'<dt class="sig sig-object py" id="([^"]*)">(.*?)</dt>', text, re.DOTALL):
            if re.sub(r"<[^>]+>|\s", "", line).endswith("(*args,**kwargs)\u00b6") or name.endswith(".argpartition"):
                yield f"{os.path.relpath(path, HTML)}: {name}"


def not_found():
    """What the search must find: a word of each part of the site."""
    index = read(os.path.join(HTML, "searchindex.js"))
    parts = {"docs/measures": "itakura", "reference/c/lsh": "ww_lsh_creat"}
    parts.update({"reference/python/wavewarp": "kneighbor"} if PACKAGE else {})
    for page, word in parts.items():
        if f'"{page}"' not in index or word not in index:
            yield f"{page}: {word}"


STATUS, TEXT = build()
if STATUS == 77:
    print(f"1..0 # SKIP {TEXT.strip()}")
    sys.exit(0)
sys.exit(tap.report([("the site is built without a warning", warnings), ("links of the site lead somewhere", broken_links),
                     ("the site is whole without a network", foreign_files), ("the search finds each part", not_found),
                     ("classes have their parameters and members", hidden_signatures),
                     ("the page of the program has the help of each command", commands_left_out)]))
