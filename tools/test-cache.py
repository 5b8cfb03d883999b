#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps PoCL's cache of tools/test small: what was not used for a month goes, and of the rest the oldest beyond 1 GB.

    tools/test-cache.py FOLDER

ccache has a limit of its own, and tests/lint/kernels.py forgets what it did not use for a month.
"""
import os
import shutil
import sys
import time

KEPT_DAYS, MOST_BYTES = 30, 1 << 30
IN_USE_SECONDS = 7200  # another run may be at it


def programs(folder):
    """(time of last use, bytes, path) of each program: two letters, the rest of its hash."""
    for top in os.scandir(folder):
        for entry in os.scandir(top.path) if top.is_dir() else []:
            files = [os.path.join(path, name) for path, _, names in os.walk(entry.path) for name in names]
            try:
                used = os.path.join(entry.path, "last_accessed")
                yield os.stat(used if used in files else entry.path).st_mtime, sum(map(os.path.getsize, files)), entry.path
            except OSError:
                pass  # gone meanwhile


def main(folder):
    now = time.time()
    found = sorted(programs(folder), reverse=True) if os.path.isdir(folder) else []
    total = removed = 0
    for used, size, path in found:
        total += size
        if used < now - KEPT_DAYS * 86400 or (total > MOST_BYTES and used < now - IN_USE_SECONDS):
            shutil.rmtree(path, ignore_errors=True)
            removed += 1
    print(f"== {len(found) - removed} programs kept in {folder}" + (f", {removed} removed" if removed else ""))


main(os.path.join(sys.argv[1], "pocl"))
