# SPDX-License-Identifier: Apache-2.0
"""TAP for lint tests that are lists of rules: one point a rule, which holds when it finds nothing."""

LINES = 40  # of findings that are printed


def report(rules):
    """rules: (name, function that yields findings). Whether one of them failed."""
    print(f"TAP version 13\n1..{len(rules)}")
    failed = False
    for number, (name, rule) in enumerate(rules, 1):
        found = sorted(set(rule()))
        failed = failed or bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - {name}")
        for line in found[:LINES]:
            print(f"# {line}")
    return failed
