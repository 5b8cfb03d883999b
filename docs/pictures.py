#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/tutorial-python.md from what its blocks compute, and that of docs/index.md from what was
measured (docs/performance/index.json).

    pictures.py [FOLDER]      default: docs/pictures
"""

import json
import pathlib
import re
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

from wavewarp import plot  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def names():
    """What the page's blocks have computed, by name."""
    made = {}
    for code in re.findall(r"```python\n(.*?)```", (HERE / "tutorial-python.md").read_text(), re.DOTALL):
        exec(code, made)
    return made


def recall(ax):
    """Recall over the share of the base that a query is compared with, a curve a kind of series."""
    for name, points in json.loads((HERE / "performance" / "index.json").read_text())["curves"].items():
        ax.plot([100 * share for share, _ in points], [found for _, found in points], marker=".", label=name)
    ax.set(xlabel="distances, % of the base", ylabel="recall of the 10 nearest")
    ax.legend()


def pictures(n):
    """Name, width and height in inches, and what draws."""
    members = n["x"][n["groups"].labels == 0]
    return [
        ("path", 6, 3, lambda ax: plot.path(n["x"][0], n["x"][3], n["band"], ax=ax)),
        ("matrix", 4, 3.2, lambda ax: plot.matrix(n["matrix"], ax=ax)),
        ("clusters", 6, 3, lambda ax: plot.clusters(n["x"], n["groups"].labels, ax=ax)),
        ("average", 6, 3, lambda ax: plot.average(n["centre"], members, ax=ax)),
        ("search", 7, 2.5, lambda ax: plot.search(n["stream"], n["matches"], ax=ax)),
        ("profile", 7, 2.5, lambda ax: plot.profile(n["profile"], ax=ax)),
        ("shapelet", 6, 3, lambda ax: plot.shapelet(n["model"], 0, n["x"], ax=ax)),
        ("index", 5, 3, recall),
        ("alignment", 3.5, 3.2, lambda ax: plot.alignment(n["aligned"], ax=ax)),
    ]


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "pictures"
    folder.mkdir(exist_ok=True)
    style = {"svg.hashsalt": "wavewarp", "svg.fonttype": "none", "font.size": 8, "path.simplify_threshold": 1.0}
    for name, width, height, draw in pictures(names()):
        with pyplot.rc_context(style):
            figure, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
            draw(ax)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
            pyplot.close(figure)


if __name__ == "__main__":
    main()
