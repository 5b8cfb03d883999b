# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import wavewarp as ww


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def cbf():
    """Labelled series of three classes, as an array of shape (n, time) and texts."""
    made = ww.generate("cbf", 24, length=40, seed=3)
    return made.to_numpy()[:, 0], np.array(made.labels)


def dtw(x, y, gamma=0.0, width=None):
    """DTW with the squared cost, of arrays (channel, time) or (time,): by the definition, without the library."""
    x, y = np.atleast_2d(x), np.atleast_2d(y)
    n, m = x.shape[1], y.shape[1]
    d = np.full((n + 1, m + 1), np.inf)
    d[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if width is not None and abs(i - j) > width:
                continue
            three = np.array([d[i - 1, j - 1], d[i - 1, j], d[i, j - 1]])
            low = three.min()
            if gamma and np.isfinite(low):
                low -= gamma * np.log(np.exp(-(three - low) / gamma).sum())
            d[i, j] = ((x[:, i - 1] - y[:, j - 1]) ** 2).sum() + low
    return d[n, m]


def matrix(xs, ys, **options):
    return np.array([[dtw(x, y, **options) for y in ys] for x in xs])
