#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes elastic_vectors.h from the JSON file of published values: make_vectors.py elastic.json > elastic_vectors.h

The header is committed, so that the tests need neither Python nor the JSON file.
"""
import json
import sys


def number(value):
    return repr(float(value))


def text(value):
    return json.dumps(value, ensure_ascii=True)


def channels_of(series):
    """The series channel by channel, as the library lays it out. The file has it point by point."""
    if not isinstance(series[0], list):
        return [series]
    return [list(channel) for channel in zip(*series)]


def parameter(key, value):
    if isinstance(value, str):
        return "{%s, 0.0, %s}" % (text(key), text(value))
    return "{%s, %s, NULL}" % (text(key), number(value))


def main():
    rows = json.load(open(sys.argv[1], encoding="utf-8"))
    arrays = {}  # the same series serves several rows
    table = []
    for row in rows:
        names = []
        for series in (row["x"], row["y"]):
            values = ", ".join(number(v) for channel in channels_of(series) for v in channel)
            names.append(arrays.setdefault(values, "elastic_series_%d" % len(arrays)))
        parameters = ", ".join(parameter(k, v) for k, v in row["params"].items())
        table.append(
            "    {%s, %s, %s, %d, %s, %d, %d, {%s}, %d, %s, %s, %d, %s},\n"
            % (
                text(row["name"]),
                text(row["distance"]),
                names[0],
                len(row["x"]),
                names[1],
                len(row["y"]),
                len(channels_of(row["x"])),
                parameters or "{NULL, 0.0, NULL}",
                len(row["params"]),
                number(row["expected"]),
                number(row["full_precision"]),
                1 if row["published"] else 0,
                text(row["source"]),
            )
        )
    most = max(len(row["params"]) for row in rows)
    out = sys.stdout
    out.write("// SPDX-License-Identifier: Apache-2.0\n")
    out.write("// Made by make_vectors.py: don't edit. Published values of elastic measures, and where they are from.\n")
    out.write("// clang-format off\n")
    out.write("#ifndef WAVEWARP_ELASTIC_VECTORS_H\n#define WAVEWARP_ELASTIC_VECTORS_H\n\n#include <stddef.h>\n\n")
    out.write("typedef struct elastic_parameter {\n    const char *name;\n")
    out.write("    double value;     // 1 for true, 0 for false and for a text\n")
    out.write("    const char *text; // NULL for a number\n} elastic_parameter;\n\n")
    out.write("typedef struct elastic_vector {\n    const char *name;\n    const char *distance;\n")
    out.write("    const double *x; // channel by channel\n    size_t n;\n    const double *y;\n    size_t m;\n")
    out.write("    size_t channels;\n    elastic_parameter parameters[%d];\n    size_t parameter_count;\n" % most)
    out.write("    double expected;  // as published\n    double precise;   // the same to double precision\n")
    out.write("    int published;    // 0: computed to tell two conventions apart\n    const char *source;\n")
    out.write("} elastic_vector;\n\n")
    for values, name in arrays.items():
        out.write("static const double %s[] = {%s};\n" % (name, values))
    out.write("\nstatic const elastic_vector elastic_vectors[] = {\n")
    out.writelines(table)
    out.write("};\n\n#define ELASTIC_VECTOR_COUNT (sizeof(elastic_vectors) / sizeof(elastic_vectors[0]))\n\n#endif\n")


main()
