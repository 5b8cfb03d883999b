# SPDX-License-Identifier: Apache-2.0
"""Shape-based distances against their definition, and k-shape on shapes that are shifted."""

import numpy as np
import pytest

import wavewarp as ww

RNG = np.random.default_rng(6)


def by_definition(x, y):
    """(distance, shift) of z-normalised series (channel, time)."""
    x, y = ((s - s.mean(1, keepdims=True)) / s.std(1, keepdims=True) for s in (x, y))
    sums = sum(np.correlate(a, b, "full") for a, b in zip(x, y))
    best = int(np.argmax(sums))
    return 1 - sums[best] / np.sqrt((x**2).sum() * (y**2).sum()), best + 1 - y.shape[1]


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("channels", [1, 3])
def test_sbd(precision, channels):
    x = [RNG.normal(size=(channels, n)) for n in (5, 64, 33)]
    y = [RNG.normal(size=(channels, n)) for n in (300, 17)]
    distances, shifts = ww.sbd(x, y, shifts=True, axes="ct", precision=precision)
    want = [[by_definition(a, b) for b in y] for a in x]
    np.testing.assert_allclose(distances, [[d for d, _ in row] for row in want], atol=1e-12 if precision == "double" else 1e-5)
    assert shifts.tolist() == [[s for _, s in row] for row in want]


def test_sbd_of_a_set():
    x = RNG.normal(size=(6, 40))
    x[2] = 7
    distances, shifts = ww.sbd(x, shifts=True, max_bytes=60)
    assert (distances[2] == 1).all() and (distances[:, 2] == 1).all()
    np.testing.assert_allclose(np.delete(np.diagonal(distances), 2), 0, atol=1e-12)
    np.testing.assert_allclose(distances, distances.T)
    raw = ww.sbd(x[:2], raw=True)
    norms = np.linalg.norm(x[:2], axis=1)
    assert raw[0, 1] == pytest.approx(1 - np.correlate(x[0], x[1], "full").max() / norms.prod())
    # A shifted copy is found, but for what has left it.
    assert ww.sbd([x[0]], [np.roll(x[0], 3)], shifts=True)[1].tolist() == [[-3]]


def shapes(count=30, length=50):
    t, x, y = np.arange(length), [], []
    for i in range(count):
        at = 12 + RNG.integers(0, 20)
        x.append([np.exp(-(((t - at) / 4) ** 2)), np.sign(t - at) * np.exp(-np.abs(t - at) / 6)][i % 2] + RNG.normal(size=length) / 20)
        y.append(i % 2)
    return np.array(x), np.array(y)


def test_kshape():
    x, y = shapes()
    told = ww.kshape(x, 2, starts=5)
    assert (told.labels == y).all() and told.converged
    assert told.objective == pytest.approx(told.distances.sum())
    centres = np.concatenate(told.centres)
    np.testing.assert_allclose(centres.mean(1), 0, atol=1e-12)
    np.testing.assert_allclose(centres.std(1), 1)
    np.testing.assert_allclose(ww.sbd(x, centres).min(axis=1), told.distances, atol=1e-12)
    # The centre is the first eigenvector of the members where they lie.
    shifts, z = ww.sbd(centres[:1], x, shifts=True)[1][0], (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    rows = []
    for s, row in zip(shifts[y == 0], z[y == 0]):
        moved = np.zeros_like(row)
        moved[max(s, 0) : len(row) + min(s, 0)] = row[max(-s, 0) : len(row) - max(s, 0)]
        rows.append(moved - moved.mean())
    vector = np.linalg.svd(np.array(rows))[2][0]
    assert abs(vector @ centres[0]) / np.linalg.norm(centres[0]) == pytest.approx(1, abs=1e-9)
    again = ww.kshape(x, 2, first=[x[0], x[1]])
    assert (again.labels == y).all()
    assert len(set(ww.kshape(np.tile(x[:1], (5, 1)), 3).labels)) == 3  # equal series: no cluster is empty


def test_kshape_estimator():
    wws = pytest.importorskip("wavewarp.sklearn", reason="scikit-learn is not installed")
    x, y = shapes()
    made = wws.TimeSeriesKShape(2, n_init=5, random_state=1).fit(x)
    assert len(set(zip(made.labels_, y))) == 2 and (made.predict(x) == made.labels_).all()
    assert made.transform(x[:3]).shape == (3, 2) and -made.score(x) == pytest.approx(made.inertia_)


def test_as_tslearn_has_it():
    theirs = pytest.importorskip("tslearn.clustering", reason="tslearn is not installed")
    x, _ = shapes()
    x = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    want = theirs.KShape(2, init=x[:2, :, None].copy()).fit(x[:, :, None])
    told = ww.kshape(x, 2, first=x[:2])
    assert len(set(zip(told.labels, want.labels_))) == 2
