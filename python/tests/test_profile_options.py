# SPDX-License-Identifier: Apache-2.0
"""Profiles: windows that are constant by the caller's word, and which channels make a distance, against brute force."""

import pickle

import numpy as np
import pytest

import wavewarp as ww


def normalised(series, m, flat):
    windows = np.lib.stride_tricks.sliding_window_view(series, m, axis=-1)
    means, deviations = windows.mean(axis=-1, keepdims=True), windows.std(axis=-1, keepdims=True)
    return np.where(flat[..., None], 0, (windows - means) / np.where(flat[..., None], 1, deviations))


def squares(one, two):
    """By channel: constant with another one 0, with others m."""
    return ((one[:, :, None] - two[:, None]) ** 2).sum(axis=-1)


def nearest(all_, exclusion):
    i, j = np.indices(all_.shape)
    all_ = np.where(np.abs(i - j) <= exclusion, np.inf, all_)
    return all_.min(axis=1), all_.argmin(axis=1)


def test_flat_windows(rng):
    m = 12
    x, y = rng.normal(size=(2, 120)).cumsum(axis=1), rng.normal(size=(2, 80)).cumsum(axis=1)
    flat, other_flat = rng.random((2, 109)) < 0.3, rng.random((2, 69)) < 0.3
    one, two = normalised(x, m, flat), normalised(y, m, other_flat)
    for channels, best in ((slice(0, 1), 0), (slice(0, 2), 0), (slice(0, 2), 1)):
        parts = squares(one[channels], one[channels])
        wanted, indices = nearest(parts.min(axis=0) if best else parts.sum(axis=0), 3)
        made = ww.profile(x[channels], m, flat=flat[channels], best_channels=best)
        np.testing.assert_allclose(made.distances[:, 0], np.sqrt(wanted), atol=1e-9)
        again = pickle.loads(pickle.dumps(made))
        assert (again.distances_of(3) == made.distances_of(3)).all()
        if len(parts) == 1:
            assert (made.indices[:, 0] == indices).all()
    wanted = np.sqrt(squares(one, two).sum(axis=0)).min(axis=1)
    made = ww.profile(x, m, y, flat=flat, other_flat=other_flat)
    np.testing.assert_allclose(made.distances[:, 0], wanted, atol=1e-9)


def test_flat_below(rng):
    m = 12
    x = np.where(np.arange(200) % 50 < 25, 7 + 1e-3 * rng.normal(size=200), rng.normal(size=200))
    deviations = np.lib.stride_tricks.sliding_window_view(x, m).std(axis=1)
    made = ww.profile(x, m, flat_below=0.01, k=2, left_right=True)
    told = ww.profile(x, m, flat=deviations < 0.01, k=2, left_right=True)
    stream = ww.ProfileStream(m, flat_below=0.01, k=2, left_right=True)
    for part in np.array_split(x, 4):
        stream.push(part)
    for name in ("distances", "indices", "left_distances", "right_indices"):
        assert (getattr(made, name) == getattr(told, name)).all() and (getattr(made, name) == getattr(stream, name)).all()
    assert (made.distances[deviations < 0.01] == 0).all() and (deviations < 0.01).any()
    scaled = ww.profile(x * 2.0**80, m, flat_below=0.01 * 2.0**80, k=2)
    assert (scaled.distances == made.distances).all()


@pytest.mark.parametrize("how", [{}, {"normalize": False}, {"normalize": False, "p": 3}])
def test_channels(rng, how):
    m, x = 10, rng.normal(size=(4, 90)).cumsum(axis=1)
    x[2, 50] = np.nan
    made = ww.profile(x, m, best_channels=2, **how)
    for window in (0, 30, 45, 80):
        other = made.indices[window, 0]
        own = [ww.profile(channel, m, **how).distances_of(window)[other] for channel in x]
        assert made.channels_of(window).tolist() == np.argsort(own, kind="stable")[:2].tolist()
    assert 2 not in made.channels_of(45)


@pytest.mark.parametrize("how", [{}, {"normalize": False}, {"normalize": False, "p": np.inf}, {"precision": "float"}])
def test_forced_channels(rng, how):
    m, x, forced = 10, rng.normal(size=(4, 120)).cumsum(axis=1), [3, 1]
    x[0, 50], x[3, 90] = np.nan, np.nan  # a window without a forced channel has no neighbour
    p = how.get("p", 2)
    each = np.array([[ww.profile(c, m, exclusion=2, **how).distances_of(i) for i in range(111)] for c in x])
    least = np.minimum(each[0], each[2])
    parts = np.array([each[1], each[3], least])
    wanted = parts.max(axis=0) if np.isinf(p) else np.sqrt((parts**2).sum(axis=0))
    made = ww.profile(x, m, best_channels=3, forced_channels=forced, exclusion=2, k=2, **how)
    order = np.argsort(wanted, axis=1, kind="stable")[:, :2]
    np.testing.assert_allclose(made.distances, np.take_along_axis(wanted, order, axis=1), rtol=1e-9)
    assert np.isinf(made.distances[85]).all() and np.isfinite(made.distances[45]).all()
    stream = ww.ProfileStream(m, channels=4, best_channels=3, forced_channels=forced, exclusion=2, k=2, **how)
    stream.push(x.T[:70])
    stream.push(x.T[70:])
    assert (stream.distances == made.distances).all() and (stream.indices == made.indices).all()
    assert set(made.channels_of(0)) >= {1, 3}


@pytest.mark.parametrize("how", [{}, {"k": 2, "left_right": True}, {"normalize": False, "p": 1}])
def test_a_share_of_the_lags(rng, how):
    x, before = rng.normal(size=4000).cumsum(), None
    whole = ww.profile(x, 50, **how)
    for share in (0.1, 0.4, 1):
        made = ww.profile(x, 50, share=share, **how)
        assert (made.distances >= whole.distances - 1e-9).all() and np.isfinite(made.distances[:, 0]).all()
        assert share == 1 or (made.distances > whole.distances + 1e-9).any()
        if before is not None:
            assert (made.distances <= before).all()
        before = made.distances
    np.testing.assert_array_equal(before, whole.distances)


@pytest.mark.parametrize("how", [{}, {"precision": "float"}, {"normalize": False, "p": 1.5}])
def test_consensus_motif(rng, how):
    """Against brute force, which is stumpy.ostinato()'s: the least radius, and of equal ones the least mean distance."""
    m, series = 15, [rng.normal(size=n).cumsum() for n in (70, 41, 15, 88)]
    p = how.get("p", 2)
    for some in (series, series[:2], [np.stack([x, x[::-1] ** 2]) for x in series[::2]]):
        windows = [np.lib.stride_tricks.sliding_window_view(np.atleast_2d(x), m, axis=1) for x in some]
        if p == 2:
            windows = [(w - w.mean(axis=-1, keepdims=True)) / w.std(axis=-1, keepdims=True) for w in windows]
        rows = [np.concatenate(list(w), axis=-1) for w in windows]
        found = []
        for a, one in enumerate(rows):
            every = [(np.abs(one[:, None] - other[None]) ** p).sum(axis=-1) ** (1 / p) for other in rows]
            least = np.array([d.min(axis=1) if b != a else np.zeros(len(one)) for b, d in enumerate(every)])
            for i in range(len(one)):
                at = [int(d[i].argmin()) if b != a else i for b, d in enumerate(every)]
                found.append((round(least[:, i].max(), 8), round(least[:, i].sum(), 8), a, i, at, least[:, i]))
        radius, _, a, i, at, distances = min(found, key=lambda f: f[:4])
        made = ww.consensus_motif(some, m, **how)
        assert (made.series, made.window, made.windows.tolist()) == (a, i, at)
        assert made.radius == made.distances.max() == pytest.approx(radius, abs=1e-7)
        np.testing.assert_allclose(made.distances, distances, atol=1e-9)
    assert ww.consensus_motif([x[:15] for x in series], 15, **how).windows.tolist() == [0, 0, 0, 0]


def test_refused(rng):
    x = rng.normal(size=60)
    for how in (
        {"flat": np.zeros(50)},
        {"flat": np.zeros(50, bool)},
        {"other_flat": np.zeros(51, bool)},
        {"flat_below": -1},
        {"forced_channels": [0]},
        {"forced_channels": [1], "best_channels": 1},
        {"forced_channels": [-1], "best_channels": 1},
        {"forced_channels": [32], "best_channels": 1},
        {"flat_below": np.nan},
        {"flat_below": 1, "normalize": False},
        {"share": 0},
        {"share": 1.5},
        {"share": np.nan},
        {"flat": np.zeros(51, bool), "normalize": False},
    ):
        with pytest.raises(ValueError):
            ww.profile(x, 10, **how)
