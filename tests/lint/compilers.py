#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every C file of the build with each compiler there is, a warning being an error. Prints TAP. Where a warning is an
error in the build itself (-Dwerror=true, as in tools/test), that has found what its compiler warns of: only the other is
asked here.

Usage: compilers.py BUILD
"""
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

# One of each kind: a version more finds little more.
COMPILERS = [["gcc"], ["clang", "clang-19", "clang-18", "clang-15", "clang-14"]]


def compilers():
    for names in COMPILERS:
        found = next((name for name in names if shutil.which(name)), None)
        if found:
            yield found


def split(entry):
    """(ccache or nothing, the compiler, its arguments) of the build's own command."""
    words = shlex.split(entry["command"])
    at = os.path.basename(words[0]) == "ccache"
    return words[:at], words[at], words[at + 1:]


def has_found(entries):
    """Of which compilers the build has turned warnings into errors: their names in COMPILERS, gcc or clang."""
    ccache, compiler, words = split(next(iter(entries)))
    says = subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return [("clang" if "clang" in says else "gcc")] if "-Werror" in words else []


def command(entry, compiler, output):
    """The build's own command, for another compiler, without its outputs and its sanitizers."""
    ccache, _, words = split(entry)
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MQ", "-MT"):
            skip = True
        elif not word.startswith(("-fsanitize", "-MD", "-MMD", "-Werror")):
            kept.append(word)
    # gcc finds some things only where it optimises; clang's warnings come from the syntax. ccache keeps only what has an
    # output.
    end = ["-O0"] if compiler.startswith("clang") else []
    return [*ccache, compiler, *kept, "-Werror", "-fdiagnostics-color=never", *end, "-MD", "-MQ", "object", "-MF", output + ".d", "-o", output]


def compile_one(job):
    entry, compiler = job
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command(entry, compiler, os.path.join(folder, "object.o")), cwd=entry["directory"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def main(build):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        # A file compiled for more than one target is compiled once here; generated ones are not ours to word.
        entries = {entry["file"]: entry for entry in json.load(file)
                   if entry["file"].endswith(".c") and entry["file"].startswith("..")}
    found = has_found(entries.values())
    jobs = [(entries[name], compiler) for name in sorted(entries) for compiler in compilers()
            if not compiler.startswith(tuple(found))]
    failed = False
    print(f"TAP version 13\n1..{len(jobs)}" if jobs else "1..0 # SKIP there is only the compiler of the build")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (job, (status, output)) in enumerate(zip(jobs, pool.map(compile_one, jobs)), 1):
            name = f"{os.path.normpath(os.path.join(build, job[0]['file']))}, {job[1]}"
            name = os.path.relpath(name, os.path.join(os.path.dirname(__file__), "..", ".."))
            print(f"{'not ok' if status else 'ok'} {number} - {name}")
            if status:
                failed = True
                for line in output.splitlines()[:20]:
                    print(f"# {line}")
    return failed


sys.exit(main(sys.argv[1]))
