# SPDX-License-Identifier: Apache-2.0
"""Step patterns of other libraries as recurrences of one's own: examples/recurrence_symmetric2.cl, ..._asymmetric.cl."""

import pathlib

import numpy as np
import pytest

import wavewarp as ww

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
X = np.array([-0.8, -2.13, -2.37, -1.95, -0.82, -0.71, -1.26, -2.05, -1.3])
Y = np.array([1.63, 1.91, 0.67, -0.28, 1.32, 1.52, -0.21, -0.3, -1.46, -2.09, -2.58, -3.29])


def text(name):
    path = EXAMPLES / f"recurrence_{name}.cl"
    return path.read_text() if path.exists() else pytest.skip("no examples here")


def twice(x):
    """x as recurrence_asymmetric.cl takes it: each point but the first twice, and which are whole steps."""
    return np.stack([np.repeat(x, 2)[1:], np.arange(2 * len(x) - 1) % 2 == 0])


# The values of dtw-python 1.9.0.
def test_symmetric2():
    options = {"recurrence": text("symmetric2"), "cost": "absolute"}
    assert ww.distance(X, Y, "user", **options) == pytest.approx(20.82)
    assert ww.distance(X, Y, "user", p0=1, **options) == pytest.approx(0.9914285714285717)
    assert ww.distance(X, Y, "user", band="sakoe-chiba:4", **options) == pytest.approx(23.12)
    assert ww.distance(X, Y, "dtw", cost="absolute") == pytest.approx(18.88)  # symmetric1


def test_asymmetric():
    x, y = twice(X), np.stack([Y, np.zeros_like(Y)])
    options = {"recurrence": text("asymmetric"), "axes": "ct"}
    assert ww.distance(x, y, "user", p1=1, **options) == pytest.approx(13.82)
    assert ww.distance(x, y, "user", p0=1, p1=1, **options) == pytest.approx(1.5355555555555553)
