# SPDX-License-Identifier: Apache-2.0
"""Indices of series: what they find, against exact searches, and what they refuse."""

import pickle

import numpy as np
import pytest

import wavewarp as ww

BAND = {"band": "sakoe-chiba:4"}


@pytest.fixture(scope="module")
def series():
    walks = np.random.default_rng(4).normal(size=(700, 24)).cumsum(axis=1)
    return walks.astype(np.float32)


@pytest.fixture(scope="module")
def index(series):
    return ww.SeriesIndex(series[:600], beam=48, **BAND)


def test_finds(series, index):
    queries = series[600:620]
    distances, ids = index.search(queries, 5)
    exact, wanted = ww.kneighbors(queries, series[:600], 5, **BAND)
    assert np.mean(ids == wanted) > 0.95
    assert np.allclose(distances[ids == wanted], exact[ids == wanted], rtol=1e-5)
    assert distances.dtype == index.dtype == np.float32 and len(index) == 600 and index.measure == "dtw"
    assert index.info.examined < 20 * 600 and index.info.beam == 48
    assert (index.search(k=3).ids != np.arange(600)[:, None]).all()


def test_changes(series):
    index = ww.SeriesIndex(series[:500], beam=48, **BAND)
    index.add(series[500:])
    assert (index.search(series, 1).ids[:, 0] == np.arange(700)).mean() > 0.98
    index.remove([3, 4])
    assert not np.isin(index.search(series[:10], 4).ids, [3, 4]).any()
    assert index.info.removed == 2 and index.info.series == 698 and len(index) == 700


def test_recall(series):
    index = ww.SeriesIndex(series, recall=0.9, k=3, sample=64, **BAND)
    told = index.info
    assert told.exact or told.recall_low >= 0.9
    told = index.choose(series[:50], recall=0.8, k=3)
    assert told.sample == 50 and told.target_recall == 0.8
    assert index.search(series[:4]).ids.shape == (4, 3)
    index.set_beam(0)
    assert index.info.exact and (index.search(series, 1).ids[:, 0] == np.arange(700)).all()
    assert "exact" in repr(index)


def test_copies(series, index, tmp_path):
    index.save(tmp_path / "i.wwi")
    wanted = index.search(series[600:], 4)
    for copy in ww.SeriesIndex.load(tmp_path / "i.wwi"), pickle.loads(pickle.dumps(index)):
        found = copy.search(series[600:], 4)
        assert (found.ids == wanted.ids).all() and (found.distances == wanted.distances).all()
        assert "beam 48" in repr(copy)


def test_shards(series):
    parts = [ww.SeriesIndex(series[a : a + 350], beam=48, **BAND) for a in (0, 350)]
    found = [part.search(series[:20], 5) for part in parts]
    merged = ww.merge_neighbours((found[0].distances, found[0].ids), (found[1].distances, found[1].ids + 350))
    wanted = ww.kneighbors(series[:20], series, 5, **BAND)
    assert np.mean(merged[1] == wanted.indices) > 0.95


def test_any_series():
    rng = np.random.default_rng(5)
    ragged = [rng.normal(size=(2, n)) for n in rng.integers(6, 12, 60)]
    index = ww.SeriesIndex(ragged, "msm", c=0.5, beam=32)
    assert index.dtype == np.float64
    assert (index.search(ragged, 1).ids[:, 0] == np.arange(60)).all()
    words = ww.SeriesIndex(["kitten", "sitting", "mitten", "fitting"], "levenshtein", beam=4)
    assert words.search(["bitten"], 2).distances.tolist() == [[1, 1]]


# What test_docstrings.py calls, in a folder with a file `text`.
def _small():
    return ww.SeriesIndex(np.eye(6, 8, dtype=np.float32), beam=4)


NAN = np.full((2, 8), np.nan)
REFUSED = {
    "SeriesIndex": {
        "ValueError": [
            lambda: ww.SeriesIndex(NAN),
            lambda: ww.SeriesIndex(np.eye(6), recall=1),
            lambda: ww.SeriesIndex(np.eye(6), k=0),
            lambda: ww.SeriesIndex(np.eye(6), beam=9999),
            lambda: ww.SeriesIndex(np.eye(6), links=3),
            lambda: ww.SeriesIndex(np.eye(6), neighbours=500),
            lambda: ww.SeriesIndex(np.eye(6), "foo"),
        ]
    },
    "SeriesIndex.search": {
        "ValueError": [
            lambda: _small().search(np.zeros((2, 2, 8)), 1),
            lambda: _small().search(k=0),
            lambda: _small().search(k=4097),
        ]
    },
    "SeriesIndex.add": {"ValueError": [lambda: _small().add(NAN), lambda: _small().add(np.zeros((2, 2, 8)))]},
    "SeriesIndex.remove": {"ValueError": [lambda: _small().remove([6]), lambda: _small().remove(-1)]},
    "SeriesIndex.choose": {
        "ValueError": [lambda: _small().choose(recall=0), lambda: _small().choose(k=0)],
    },
    "SeriesIndex.set_beam": {"ValueError": [lambda: _small().set_beam(-1), lambda: _small().set_beam(5000)]},
    "SeriesIndex.save": {"FileError": [lambda: _small().save("no/x")]},
    "SeriesIndex.load": {"FileError": [lambda: ww.SeriesIndex.load("no"), lambda: ww.SeriesIndex.load("text")]},
    "SeriesIndex.from_bytes": {"FileError": [lambda: ww.SeriesIndex.from_bytes(b"nothing")]},
}
