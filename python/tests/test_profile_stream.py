# SPDX-License-Identifier: Apache-2.0
"""Profiles of series that grow: the bits of profile() at each length, what is forgotten, and regimes."""

import numpy as np
import pytest

import wavewarp as ww

SIDES = ("distances", "indices", "left_distances", "left_indices", "right_distances", "right_indices")


def walk(rng, n):
    return rng.normal(size=n).cumsum()


def levels(rng, n):
    return np.repeat(rng.integers(0, 3, n // 20 + 1), 20)[:n] + np.where(np.arange(n) % 90 > 60, rng.normal(size=n), 0)


def ramps(rng, n):
    return np.abs(np.arange(n) % 120 - 60.0) + np.where(np.arange(n) > n // 2, rng.normal(size=n), 0)


def holes(rng, n):
    values = rng.normal(size=n)
    values[[n // 3, n // 2]] = np.nan, np.inf
    return values


def grows(rng, n):  # raw distances are scaled anew, as values grow
    return walk(rng, n) * 2.0 ** (np.arange(n) // 40)


WAYS = {"nearest": {}, "sides": {"k": 2, "left_right": True}, "raw": {"normalize": False}}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [walk, levels, ramps, holes, grows])
def test_the_bits_of_the_whole(rng, kind, way):
    series, at = kind(rng, 260), 0
    stream = ww.ProfileStream(16, **WAYS[way])
    for count in (5, 11, 1, 3, 4, 60, 1, 1, 100, 74):
        stream.push(series[at : at + count])
        at += count
        windows = max(at - 15, 0)
        assert (stream.points, stream.first, len(stream.distances)) == (at, 0, windows)
        if windows <= 5:
            assert np.isinf(stream.distances).all() and (stream.indices == -1).all()
            continue
        whole = ww.profile(series[:at], 16, **WAYS[way])
        for name in SIDES[: 6 if "left_right" in WAYS[way] else 2]:
            np.testing.assert_array_equal(getattr(stream, name), getattr(whole, name), err_msg=f"{name} of {at} points")


def test_channels_and_norms(rng):
    series = rng.normal(size=(3, 120)).cumsum(axis=1)
    for how in ({"best_channels": 2}, {"normalize": False, "p": 1}, {"normalize": False, "p": np.inf, "precision": "float"}):
        stream = ww.ProfileStream(10, channels=3, **how)
        for part in np.split(series.T, [50, 51, 90]):
            stream.push(part)
        whole = ww.profile(series, 10, **how)
        assert (stream.distances == whole.distances).all() and (stream.indices == whole.indices).all()


@pytest.mark.parametrize("kind", [walk, levels])
def test_forgotten(rng, kind):
    m, keep, exclusion = 8, 60, 2
    series = kind(rng, 200)
    one, many = (ww.ProfileStream(m, keep=keep, k=2, left_right=True, normalize=False) for _ in range(2))
    for value in series:
        one.push([value])
    for part in np.array_split(series, 3):
        many.push(part)
    windows = np.lib.stride_tricks.sliding_window_view(series, m)
    distances = np.sqrt(((windows[:, None] - windows) ** 2).sum(axis=2))
    i, j = np.indices(distances.shape)
    met = (np.abs(i - j) > exclusion) & (np.abs(i - j) <= keep - m)
    for side, allowed in zip(("", "left_", "right_"), (met, met & (j < i), met & (j > i))):
        wanted = np.where(allowed, distances, np.inf)[one.first :]
        order = np.argsort(wanted, axis=1, kind="stable")[:, :2]
        wanted = np.take_along_axis(wanted, order, axis=1)
        for stream in (one, many):
            assert (stream.points, stream.first, len(stream.distances)) == (200, 140, keep - m + 1)
            np.testing.assert_allclose(getattr(stream, side + "distances"), wanted, rtol=1e-12)
            assert (getattr(stream, side + "indices") == np.where(np.isfinite(wanted), order, -1)).all()


def test_an_error_takes_nothing(rng):
    stream = ww.ProfileStream(8)
    stream.push(rng.normal(size=40))
    before = stream.distances.copy()
    with pytest.raises(ww.Error, match="differ by less"):
        stream.push([1e300, 0.5])
    assert stream.points == 40 and (stream.distances == before).all()
    stream.push([1.0])
    assert stream.points == 41


def test_regimes(rng):
    t = np.arange(1500)
    series = np.where(t < 800, np.sin(t / 5), np.sign(np.sin(t / 9))) + 0.05 * rng.normal(size=1500)
    made = ww.profile(series, 40)
    curve = made.arc_curve()
    n = len(curve)
    starts, ends = np.minimum(made.indices[:, 0], np.arange(n)), np.maximum(made.indices[:, 0], np.arange(n))
    arcs = np.array([((starts <= at) & (at < ends)).sum() for at in range(n)])
    with np.errstate(divide="ignore"):
        wanted = np.minimum(arcs / (2 * np.arange(n) * (n - np.arange(n)) / n), 1)
    wanted[:200] = wanted[-200:] = 1
    np.testing.assert_allclose(curve, wanted, rtol=1e-12)
    assert abs(made.regimes(1)[0] - 800) < 60 and made.regimes(3, separation=9999).tolist() == made.regimes(1).tolist()
    stream = ww.ProfileStream(40, keep=1200, left_right=True)
    stream.push(series)
    later, n = stream.arc_curve(), 1161
    assert len(later) == n and later.max() == 1 and abs(stream.regimes()[0] - 800) < 60
    ends, own = stream.right_indices[:, 0] - stream.first, np.arange(n)
    at = 500
    ideal = (n - 1 - at) * (1 / (n - 1 - np.arange(at + 1))).sum()
    arcs = ((own <= at) & (at < ends) & (ends < n)).sum()
    np.testing.assert_allclose(later[at], min(arcs / ideal, 1), rtol=1e-12)
