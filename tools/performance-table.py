#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/performance.md from the bench's JSON.

Usage: performance-table.py [--check] [--goals] [--add TABLE RUN.jsonl DATE]

docs/performance/TABLE.jsonl has the latest line of each case, as `wavewarp-bench --json` prints it, with a "date". A line
written by hand has only the fields that are known. docs/performance/goals.json has the goals: case, then field, ">=" or
"<=", value.

--add    takes the lines of a run first: each replaces its case's line. Skipped and wrong cases are left out.
--goals  writes nothing; prints which goals are met, and which the latest figures are short of
--check  writes nothing; exit status 1 where the page is not what would be written.
"""
import json
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = os.path.join(ROOT, "docs", "performance.md")
DATA = os.path.join(ROOT, "docs", "performance")
# The field that says how fast: its factor to 1/s, and what is counted.
RATES = {"gcups": (1e9, "CUPS"), "cups": (1, "CUPS"), "pairs_per_second": (1, "pairs/s"), "bytes_per_second": (1, "B/s"),
         "coordinates_per_second": (1, "coordinates/s"), "cells_per_second": (1, "CUPS")}
# Of these cases the time says it.
TIMED = re.compile(r"shapelets/|lsh/|knn/(?!select)|search/(windows|open/1x)|average/|program/|.*/call/|read/|.*long-pair")


def lines(table):
    with open(os.path.join(DATA, table + ".jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def add(table, path, date):
    rows = {row["name"]: row for row in lines(table)}
    with open(path, encoding="utf-8") as file:
        for row in map(json.loads, filter(str.strip, file)):
            if "skipped" not in row and row["right"]:
                rows[row["name"]] = {**row, "date": date}
    with open(os.path.join(DATA, table + ".jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows.values())


def value_of(row, field):
    """A number of a row: seconds of "wall", "on_device" and "build_and_search", else the field. None: not measured."""
    if field == "build_and_search":
        if "seconds_build" in row:
            return row["seconds_build"] + row["seconds_search"]
        return row.get("seconds_build_and_search")
    value = row.get(field)
    return value["median"] if isinstance(value, dict) else value


def digits(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def scaled(values, unit, factors):
    factor, prefix = next((f for f in factors if max(values) >= f[0]), factors[-1])
    return " / ".join(digits(v / factor) for v in values) + f" {prefix}{unit}"


def times(rows):
    """Wall time, and in brackets the kernels'."""
    texts = []
    for row in rows:
        wall = value_of(row, "build_and_search") or value_of(row, "wall")
        device = value_of(row, "on_device")
        texts.append((digits(wall * 1e3) if wall else "-") + (f" ({digits(device * 1e3)})" if device else ""))
    return " / ".join(texts) + " ms"


def rate_field(row):
    if TIMED.match(row["name"]) and any(value_of(row, f) for f in ("wall", "on_device", "build_and_search")):
        return None
    return next((field for field in RATES if row.get(field)), None)


def speed(rows):
    field = rate_field(rows[0])
    if not field:
        return times(rows)
    factor, unit = RATES[field]
    return scaled([row[field] * factor for row in rows], unit, [(1e12, "T"), (1e9, "G"), (1e6, "M")])


def meets(row, goal):
    field, how, limit = goal
    value = value_of(row, field)
    return value is not None and (value >= limit if how == ">=" else value <= limit)


def goal_text(goal):
    field, how, limit = goal
    sign = "≥" if how == ">=" else "≤"
    if field in RATES:
        return sign + " " + scaled([limit * RATES[field][0]], RATES[field][1], [(1e12, "T"), (1e9, "G"), (1e6, "M")])
    return f"{sign} {digits(limit)} x" if field == "times_textbook" else f"{sign} {digits(limit * 1e3)} ms"


def goals_of(rows, goals):
    known = [(row, goals[row["name"]]) for row in rows if row["name"] in goals]
    if not known:
        return ""
    short = [row for row, goal in known if not meets(row, goal)]
    wanted = {}
    for row, goal in known:
        wanted.setdefault(goal_text(goal), []).append(last(row))
    texts = [goal if len(names) == len(rows) else f"{', '.join(names)} {goal}" for goal, names in wanted.items()]
    if not short:
        verdict = "met"
    else:
        verdict = "short" if len(short) == len(known) else "short at " + ", ".join(map(last, short))
    return f"{'; '.join(texts)}: {verdict}"


def family(row):
    """A name in two parts: what cases of one line have in common, and the case's own."""
    measures = re.fullmatch(r"(\w+)/((?:call|many)/.*)", row["name"])
    return (measures.group(2), measures.group(1)) if measures else tuple(row["name"].rsplit("/", 1))


def grouped(rows):
    groups = {}
    for row in rows:
        groups.setdefault((family(row)[0], rate_field(row), "recall" in row), []).append(row)
    return groups.values()


def last(row):
    return family(row)[1]


def table_of(table):
    rows = lines(table)
    textbook = any(row.get("times_textbook") for row in rows)
    yield "| case | speed |" + (" x textbook C |" if textbook else "") + " date |"
    yield "| --- | --- |" + (" --- |" if textbook else "") + " --- |"
    for group in grouped(rows):
        names = f"`{family(group[0])[0]}`: {', '.join(map(last, group))}"
        figures = speed(group)
        if "recall" in group[0]:
            figures += "; recall " + " / ".join(f"{row['recall']:.3f}" for row in group)
        ratios = [digits(row["times_textbook"]) if row.get("times_textbook") else "-" for row in group]
        ratio = f" {' / '.join(ratios) if set(ratios) != {'-'} else ''} |" if textbook else ""
        dates = sorted({row["date"] for row in group})
        date = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
        yield f"| {names} | {figures} |{ratio} {date} |"


def print_goals():
    with open(os.path.join(DATA, "goals.json"), encoding="utf-8") as file:
        goals = json.load(file)
    for table, wanted in goals.items():
        for group in grouped(lines(table)):
            told = goals_of(group, wanted)
            if told:
                print(f"{table}: {family(group[0])[0]}: {told}")


def rendered(page):
    def fill(found):
        return found.group(1) + "\n".join(table_of(found.group(2))) + "\n" + found.group(3)

    return re.sub(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", fill, page, flags=re.DOTALL)


def main(arguments):
    if arguments and arguments[0] == "--add" and len(arguments) == 4:
        add(*arguments[1:])
    elif arguments == ["--goals"]:
        print_goals()
        return 0
    elif arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    written = rendered(page)
    if arguments == ["--check"]:
        return int(written != page)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(written)
    return 0


sys.exit(main(sys.argv[1:]))
