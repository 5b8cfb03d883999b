# SPDX-License-Identifier: Apache-2.0
"""Metrics of points: against formulae in NumPy, and the other library's where it is installed."""

import pickle

import numpy as np
import pytest

import wavewarp as ww

RNG = np.random.default_rng(8)
BASE, QUERIES = RNG.normal(size=(150, 6)), RNG.normal(size=(7, 6))
GAPS = [np.where(RNG.random(x.shape) < 0.2, np.nan, x) for x in (BASE, QUERIES)]


def apart(x, y, metric):
    difference = np.abs(x - y)
    with np.errstate(invalid="ignore"):
        if metric == "minkowski":
            return (difference**3).sum() ** (1 / 3)
        if metric == "canberra":
            return (difference / (np.abs(x) + np.abs(y))).sum()
        if metric == "bray-curtis":
            return difference.sum() / np.abs(x + y).sum()
        if metric == "correlation":
            return 1 - np.corrcoef(x, y)[0, 1]
        both = ~np.isnan(difference)
        return np.sqrt((difference[both] ** 2).sum() * len(x) / both.sum())


@pytest.mark.parametrize("metric", ["minkowski", "canberra", "bray-curtis", "correlation", "nan-l2"])
def test_metric(metric):
    base, queries = GAPS if metric == "nan-l2" else (BASE, QUERIES)
    distances, ids = ww.knn(queries, base=base, k=20, metric=metric, p=3 if metric == "minkowski" else None)
    want = np.array([[apart(x, y, metric) for y in base] for x in queries])
    np.testing.assert_allclose(distances, np.sort(want, axis=1)[:, :20], rtol=1e-12)
    np.testing.assert_allclose(np.take_along_axis(want, ids, 1), distances, rtol=1e-12)


def test_a_radius_a_query():
    radii = np.linspace(0.5, 2.5, 7)
    got = ww.knn(QUERIES, base=BASE, radius=radii)
    for radius, query, distances, ids in zip(radii, QUERIES, *got):
        want = np.sqrt(((BASE - query) ** 2).sum(axis=1))
        assert sorted(ids) == np.flatnonzero(want <= radius).tolist() and (distances <= radius).all()


def test_missing_points_pickle():
    points = pickle.loads(pickle.dumps(ww.Points(GAPS[0], missing=True)))
    np.testing.assert_array_equal(points.values(), GAPS[0])
    assert np.isfinite(ww.knn(points, metric="nan-l2")[0]).all()


def test_as_scikit_learn_has_them():
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    want = np.sort(pairwise.nan_euclidean_distances(GAPS[1], GAPS[0]), axis=1)[:, :5]
    np.testing.assert_allclose(ww.knn(GAPS[1], base=GAPS[0], k=5, metric="nan_euclidean")[0], want)
