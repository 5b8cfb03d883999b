# SPDX-License-Identifier: Apache-2.0
"""Accumulated costs: the path runs through them, and they are what other libraries have."""

import numpy as np
import pytest

import wavewarp as ww

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=40), RNG.normal(size=57)


@pytest.mark.parametrize("measure", ["dtw", "msm", "lcss"])
def test_the_path_runs_through_the_costs(measure):
    options = {"band": "corner:6"} if measure == "dtw" else {}
    costs, (cells, distance) = ww.cost_matrix(X, Y, measure, **options), ww.path(X, Y, measure, **options)
    assert costs.shape == (40, 57) and costs.dtype == np.float64
    if measure == "lcss":
        assert 1 - costs[-1, -1] / 40 == pytest.approx(distance)
    else:
        assert costs[-1, -1] == pytest.approx(distance)
        # A step comes from the least neighbour, as far as the measure adds the same from each.
        values = costs[tuple(cells.T)]
        assert (np.diff(values) >= 0).all() and np.isfinite(values).all()
    if measure == "dtw":
        full = np.pad(costs, ((1, 0), (1, 0)), constant_values=np.inf)
        full[0, 0] = 0
        for (i, j), (p, q) in zip(cells[1:], cells):
            assert full[p + 1, q + 1] == min(full[i, j], full[i, j + 1], full[i + 1, j])
        assert np.isinf(costs[0, 30]) and np.isinf(costs).sum() == 40 * 57 - sum(
            min(57, i + 24) - max(0, i - 6) for i in range(40)
        )


def test_forms():
    x, y = np.stack([X, X[::-1]]), np.stack([Y, Y + 1])
    apart = [ww.cost_matrix(a, b, "msm") for a, b in zip(x, y)]
    assert np.allclose(ww.cost_matrix(x, y, "msm", independent=True, axes="ct"), sum(apart))
    out = np.empty((40, 57), np.float32)
    assert ww.cost_matrix(X, Y, precision="float", out=out, max_bytes=20000) is out
    assert np.allclose(out, ww.cost_matrix(X, Y), rtol=1e-5)
    soft = ww.cost_matrix(X, Y, gamma=1e-4)
    assert np.allclose(soft, ww.cost_matrix(X, Y), atol=0.01)
    opened = ww.cost_matrix(X[:5], Y, relax="0:0:all:all")
    assert opened[-1].min() == pytest.approx(ww.distance(X[:5], Y, relax="0,0,all,all"))
    assert ww.cost_matrix(X, Y, "ddtw").shape == (38, 55)
    assert ww.cost_matrix("kitten", "sitting", "levenshtein")[-1, -1] == 3
