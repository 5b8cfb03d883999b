# SPDX-License-Identifier: Apache-2.0
"""Profiles of windows as they are, against the definition (stumpy.aamp's): norms, joins, channels, parts, refusals."""

import pickle

import numpy as np
import pytest

import wavewarp as ww

NORMS = [1, 2, 3.5, np.inf]


def norm(differences, p):
    return differences.max(axis=-1) if np.isinf(p) else (differences**p).sum(axis=-1) ** (1 / p)


def brute(x, y, m, p, exclusion=-1):
    one, two = (np.lib.stride_tricks.sliding_window_view(np.atleast_2d(s), m, axis=1) for s in (x, y))
    all_ = np.array([norm(norm(np.abs(one[:, [i]] - two), p).T, p) for i in range(one.shape[1])])
    rows, columns = np.indices(all_.shape)
    all_[(np.abs(rows - columns) <= exclusion) | ~np.isfinite(all_)] = np.inf
    return all_


@pytest.mark.parametrize("p", NORMS)
def test_raw_profile(rng, p):
    m = 20
    x, y = rng.normal(size=(2, 150)).cumsum(axis=1), rng.normal(size=(2, 97)).cumsum(axis=1)
    x[0, 40] = np.nan
    x[1, 100:130] = 2
    for series, other in ((x[0], None), (x[0], y[0]), (x, None)):
        made = ww.profile(series, m, other, k=2, normalize=False, p=p)
        every = brute(series, series if other is None else other, m, p, 5 if other is None else -1)
        indices = np.argsort(every, axis=1, kind="stable")[:, :2]
        wanted = np.take_along_axis(every, indices, axis=1)
        np.testing.assert_allclose(made.distances, wanted, rtol=1e-12)
        assert (made.indices == np.where(np.isfinite(wanted), indices, -1)).all()
        row = np.where(np.isfinite(every[3]), every[3], np.inf)
        np.testing.assert_allclose(made.distances_of(3), row, rtol=1e-12)
        again = pickle.loads(pickle.dumps(made))
        assert again.measure == made.measure and (again.distances_of(3) == made.distances_of(3)).all()


def test_parts_of_a_raw_profile(rng):
    plan = ww.ProfilePlan(rng.normal(size=300).cumsum(), 16, normalize=False, p=1, left_right=True)
    whole, n = plan.run(), plan.info.windows
    joined = plan.join([plan.rectangle(0, 100, 0, n), plan.rectangle(100, n - 100, 100, n - 100)])
    for name in ("distances", "indices", "left_distances", "right_indices"):
        assert (getattr(joined, name) == getattr(whole, name)).all()
    assert whole.stumpy().shape == (n, 4)


def test_refused():
    x = np.arange(30.0)
    for p in (0.5, -1, np.nan):
        with pytest.raises(ValueError, match="p is"):
            ww.profile(x, 5, normalize=False, p=p)
    with pytest.raises(ValueError, match="normalize=False"):
        ww.profile(x, 5, p=1)
