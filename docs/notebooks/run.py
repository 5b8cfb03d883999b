#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the notebooks of this folder without Jupyter: their cells, in order, as one program.

    run.py [--write] [NOTEBOOK...]      default: all of this folder

A cell whose metadata has "needs": MODULE is left out where there is no such module; with matplotlib what it draws is an
SVG. --write stores what the cells give in the notebooks. Otherwise the texts must be those that are stored, and exit
status 1 says that they are not.
"""

import argparse
import ast
import contextlib
import importlib.util
import io
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def figures():
    """What has been drawn since the last call, as the text of an SVG."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    drawn = []
    for number in pyplot.get_fignums() if pyplot else ():
        with pyplot.rc_context({"svg.hashsalt": "wavewarp", "svg.fonttype": "none", "path.simplify_threshold": 1.0}):
            text = io.StringIO()
            pyplot.figure(number).savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
        drawn.append(text.getvalue())
        pyplot.close(number)
    return drawn


def run_cell(text, names, where):
    """Runs a cell; gives what it prints, and the value of its last line where that is an expression, as texts."""
    parsed, printed = ast.parse(text, where), io.StringIO()
    last = parsed.body.pop() if parsed.body and isinstance(parsed.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(parsed, where, "exec"), names)
        value = eval(compile(ast.Expression(last.value), where, "eval"), names) if last else None
    return printed.getvalue(), None if value is None else repr(value)


def lines(text):
    return text.splitlines(keepends=True)


def outputs_of(text, names, where, drawn):
    printed, value = run_cell(text, names, where)
    made = [{"name": "stdout", "output_type": "stream", "text": lines(printed)}] if printed else []
    pictures = [{"image/svg+xml": lines(picture)} for picture in (figures() if drawn else ())]
    made += [{"data": data, "metadata": {}, "output_type": "display_data"} for data in pictures]
    if value is not None and not pictures:
        data = {"text/plain": lines(value)}
        made.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return made


def run(path, write):
    """The cells whose text is another one than the notebook has, as messages."""
    book, names, wrong = json.loads(path.read_text(encoding="utf-8")), {"__name__": "__main__"}, []
    for number, cell in enumerate(book["cells"]):
        needs = cell["metadata"].get("needs")
        if cell["cell_type"] != "code" or needs and importlib.util.find_spec(needs) is None:
            continue
        where = f"{path.name}, cell {number}"
        made = outputs_of("".join(cell["source"]), names, where, needs == "matplotlib")
        if write:
            cell["outputs"] = made
        elif needs != "matplotlib" and made != cell["outputs"]:
            wrong.append(f"{where}: {json.dumps(made)} in place of {json.dumps(cell['outputs'])}")
    if write:
        path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return wrong


def main():
    parser = argparse.ArgumentParser(description="Runs notebooks")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("notebooks", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if importlib.util.find_spec("matplotlib"):
        importlib.import_module("matplotlib").use("svg")
    wrong = [text for path in options.notebooks or sorted(HERE.glob("*.ipynb")) for text in run(path, options.write)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
