# SPDX-License-Identifier: Apache-2.0
"""docs/measures.md, DTW-AROW: the page's lines with the example's recurrence, against the definition and the authors' numbers."""

import pathlib
import re

import numpy as np
import pytest

import wavewarp as ww

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAN = np.nan


@pytest.fixture(scope="module")
def page():
    """What the page's lines define."""
    text = (ROOT / "docs" / "measures.md").read_text().split("DTW-AROW.", 1)[1]
    lines = re.search(r"```python\n(.*?)```", text, re.S)[1]
    names = {"np": np, "ww": ww}
    exec(lines.replace("recurrence_arow.cl", str(ROOT / "examples" / "recurrence_arow.cl")), names)
    return names


def by_definition(x, y):
    x_gone, y_gone = np.isnan(x), np.isnan(y)
    n, m, there = len(x), len(y), (~x_gone).sum() + (~y_gone).sum()
    sums = np.full((n + 1, m + 1), np.inf)
    sums[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            missing = x_gone[i - 1] or y_gone[j - 1]
            before = [sums[i - 1, j - 1]]
            if j > 1 and not missing and not y_gone[j - 2]:
                before.append(sums[i, j - 1])
            if i > 1 and not missing and not x_gone[i - 2]:
                before.append(sums[i - 1, j])
            sums[i, j] = min(before) + (0 if missing else (x[i - 1] - y[j - 1]) ** 2)
    return np.sqrt(sums[n, m] * (n + m) / there)


def distances(page, rows, columns, **options):
    rows, columns = ([page["arow_channels"](x) for x in side] for side in (rows, columns))
    return ww.cdist(rows, columns, measure=page["arow"], axes="ct", **options)


def test_page(page):
    assert page["distances"][0, 1] == pytest.approx(by_definition(np.array([0, 1, NAN, 3]), np.array([0, 1, 2, 2, 3])))


def test_published(page):
    """The numbers of github.com/aras-y/DTW_with_missing_values: its notebook's, and its test's."""
    x = np.array([0, 0, NAN, NAN, 1.7, 0.8, 0.4, 0.4, 1.1, 0, 0, 0.3, 0.3, 0, 0]) + 0.15
    y = np.array([0, 1, 1.5, 1.5, 1.3, 0, 0, NAN, 1.1, 1.1, 0])
    assert distances(page, [y], [x])[0, 0] == pytest.approx(1.2736459135267848, rel=1e-14)
    x, y = np.array([1.0, 1, 2, 2, 10, 1, 1]), np.array([1.0, 1, NAN, NAN, 2, 13, 13, 1, 1, 1])
    assert distances(page, [x], [y])[0, 0] == pytest.approx(np.sqrt(18 * 17 / 15), rel=1e-14)


@pytest.mark.parametrize("options, error", [({}, 1e-13), ({"precision": "float", "engine": "strips"}, 1e-5)])
def test_definition(page, options, error):
    random, sides = np.random.default_rng(5), []
    for count in (6, 5):
        sides.append([random.normal(size=n).cumsum() for n in random.integers(12, 30, count)])
        for x in sides[-1][1:]:
            at = random.integers(len(x))
            x[at : at + random.integers(1, 5)] = NAN
    sides[0][1][:1], sides[1][2][-2:] = NAN, NAN
    wanted = np.array([[by_definition(x, y) for y in sides[1]] for x in sides[0]])
    np.testing.assert_allclose(distances(page, *sides, **options), wanted, rtol=error)
    # A gap of three is met by three values.
    assert distances(page, [np.array([1.0, 2.0])], [np.array([NAN, NAN, NAN])], **options)[0, 0] == np.inf
