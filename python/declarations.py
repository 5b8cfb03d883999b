# SPDX-License-Identifier: Apache-2.0
"""Writes the C source of wavewarp._ffi from the public headers as they are: preprocessed, parsed by cffi, and checked
by the compiler when the source is compiled.

    declarations.py INCLUDE OUTPUT COMPILER [ARGUMENT ...]
"""

import pathlib
import re
import subprocess
import sys

ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
CONSTANT = re.compile(r"^#define (WW_\w+) (\d+|SIZE_MAX)\s*$", re.MULTILINE)
CALLBACK = re.compile(r"typedef\s+(\w+)\s*\(\*(ww_\w+_fn)\)\s*\(([^)]*)\);")


def preprocessed(include, compiler):
    """The text that comes from the public headers, without what they include from elsewhere."""
    command = [*compiler, "-E", "-x", "c", "-I", str(include), "-"]
    text = subprocess.run(command, input="#include <wavewarp/wavewarp.h>\n", capture_output=True, text=True, check=True)
    lines, ours = [], False
    for line in text.stdout.splitlines():
        marker = re.match(r'#\s*(?:line )?\d+ "(.*?)"', line)
        if marker:
            ours = pathlib.Path(marker.group(1)).parent.name == "wavewarp"
        elif ours:
            lines.append(line)
    return ATTRIBUTE.sub("", "\n".join(lines))


def declarations(include, compiler):
    """What cffi parses: the headers' declarations and constants, and a Python function for every callback type."""
    text = preprocessed(include, compiler)
    headers = "".join(header.read_text() for header in sorted((include / "wavewarp").glob("*.h")))
    constants = "".join(f"#define {name} ...\n" for name, _ in CONSTANT.findall(headers))
    callbacks = "".join(
        f'extern "Python" {result} py_{name[3:]}({arguments});\n' for result, name, arguments in CALLBACK.findall(text)
    )
    return constants + text + callbacks


def main():
    import cffi

    include, output, *compiler = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(pathlib.Path(include), compiler))
    ffi.set_source("wavewarp._ffi", "#include <wavewarp/wavewarp.h>\n")
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main()
