#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/gallery.md by its blocks, each of which stands above its picture, and that of docs/index.md.

    pictures.py [--program PROGRAM] [FOLDER]      default: docs/pictures, the pictures of Python alone
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Inches, where matplotlib's drawing needs others than 6 x 3.
SIZES = {"matrix": (4, 3.2), "confusion": (3, 2.8), "search": (7, 2.5), "profile": (7, 2.5), "alignment": (3.5, 3.2)}


def blocks(language):
    """(code, name of the picture below it or None) of each block of the page."""
    page = (HERE / "gallery.md").read_text(encoding="utf-8")
    found = re.findall(rf"```{language}\n(.*?)```(?:\n\n!\[[^\]]*\]\(pictures/(.*?)\.svg\))?", page, re.DOTALL)
    return [(code, name or None) for code, name in found]


def draw_recall(pyplot, folder):
    """docs/index.md: recall over the share of the base that a query is compared with, as it was measured."""
    figure, ax = pyplot.subplots(figsize=(5, 3), layout="constrained")
    for name, points in json.loads((HERE / "performance" / "index.json").read_text())["curves"].items():
        ax.plot([100 * share for share, _ in points], [found for _, found in points], marker=".", label=name)
    ax.set(xlabel="distances, % of the base", ylabel="recall of the 10 nearest")
    ax.legend()
    figure.savefig(folder / "index.svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def draw_python(folder):
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    style = {"svg.hashsalt": "wavewarp", "svg.fonttype": "none", "font.size": 8, "path.simplify_threshold": 1.0}
    made = {}
    for code, name in blocks("python"):
        with pyplot.rc_context(style):
            figure, _ = pyplot.subplots(figsize=SIZES.get(name, (6, 3)), layout="constrained")
            exec(code, made)
            if name:
                figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
            pyplot.close(figure)
    with pyplot.rc_context(style):
        draw_recall(pyplot, folder)


def draw_program(program, folder):
    with tempfile.TemporaryDirectory() as place:
        os.symlink(os.path.realpath(program), os.path.join(place, "wavewarp"))
        paths = {**os.environ, "PATH": place + os.pathsep + os.environ["PATH"]}
        for code, name in blocks("sh"):
            subprocess.run(["bash", "-e", "-c", code], cwd=place, env=paths, check=True, stdout=subprocess.DEVNULL)
            if name:
                shutil.copyfile(pathlib.Path(place) / (name.split("-", 1)[1] + ".svg"), folder / f"{name}.svg")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=HERE / "pictures")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    if options.program:
        draw_program(options.program, options.folder)
    draw_python(options.folder)


if __name__ == "__main__":
    main()
