#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs these tests by pytest and prints TAP, one point a test. Arguments are pytest's."""

import os
import pathlib
import sys

import pytest


class Tap:
    def __init__(self):
        self.out = os.fdopen(os.dup(1), "w")  # pytest captures the other
        self.points = 0

    def pytest_addoption(self, parser):
        parser.addoption("--verbose", type=int, default=0)  # of the terminal's reports, which assertions ask for

    def say(self, report, state):
        self.points += 1
        text = f"{state} {self.points} - {report.nodeid.split('/')[-1]}".replace("#", "%")
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            text += f" # SKIP {reason}"
        self.out.write(text + "\n")
        if report.failed:
            self.out.write("".join(f"# {line}\n" for line in str(report.longrepr).splitlines()))
        self.out.flush()

    def pytest_collectreport(self, report):
        if not report.passed:
            self.say(report, "not ok" if report.failed else "ok")

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            self.say(report, "not ok" if report.failed else "ok")

    def pytest_sessionfinish(self):
        self.out.write(f"1..{self.points}\n")
        self.out.flush()


if __name__ == "__main__":
    folder = str(pathlib.Path(__file__).parent)
    options = ["-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:faulthandler", f"--rootdir={folder}"]
    sys.exit(pytest.main([*options, *(sys.argv[1:] or [folder])], plugins=[Tap()]))
