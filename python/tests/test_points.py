# SPDX-License-Identifier: Apache-2.0
"""Points as they are kept: in bytes and halves, with ids of their own, subsets, adding and removing; medoids of samples."""

import pickle
import subprocess

import numpy as np
import pytest

import wavewarp as ww
from wavewarp.__main__ import program

RNG = np.random.default_rng(5)
BASE = {
    "uint8": RNG.integers(0, 256, (300, 9), dtype=np.uint8),
    "int8": RNG.integers(-128, 128, (300, 9), dtype=np.int8),
    "float16": RNG.normal(size=(300, 9)).astype(np.float16),
}


@pytest.mark.parametrize("kind", sorted(BASE))
def test_narrow(kind):
    values = BASE[kind]
    queries = values[::7]
    narrow, wide = ww.Points(values, narrow=True), np.float32(values)
    assert narrow.element == values.dtype and narrow.dtype == np.float32
    assert np.array_equal(narrow.values(), values)
    for asking in (queries, np.float32(queries), ww.Points(queries, narrow=True)):
        told, wanted = ww.knn(asking, base=narrow, k=4), ww.knn(np.float32(queries), base=wide, k=4)
        assert np.array_equal(told.ids, wanted.ids) and np.array_equal(told.distances, wanted.distances)
    again = pickle.loads(pickle.dumps(narrow))
    assert again.element == values.dtype and np.array_equal(again.values(), values)
    assert ww.Points(values).element != values.dtype


def test_subset():
    values = np.float32(BASE["float16"])
    flags = RNG.random(len(values)) < 0.3
    chosen = np.flatnonzero(flags)
    wanted = ww.knn(values[:20], base=values[chosen], k=5)
    for subset in (flags, chosen, chosen[::-1].tolist()):
        told = ww.knn(values[:20], base=values, k=5, subset=subset)
        assert np.array_equal(told.ids, chosen[wanted.ids]) and np.array_equal(told.distances, wanted.distances)
    alone = ww.knn(values, k=1, subset=chosen).ids[:, 0]
    assert set(alone) <= set(chosen) and not (alone == np.arange(len(values))).any()
    within = ww.knn(values[:20], base=values, radius=2.5, subset=flags)
    assert all(set(ids) <= set(chosen) for ids in within.ids)


def test_ids_come_and_go():
    values = np.float32(BASE["float16"])
    points = ww.Points(values[:100], ids=10 * np.arange(100))
    points.add(values[100:150])
    assert points.ids[-1] == 990 + 50
    points.add(values[150:160], ids=range(5000, 5010))
    points.remove([0, 10, 5009, 991])
    points.remove([0])
    left = np.r_[2:100, 101:159]
    assert len(points) == len(left)
    told, wanted = ww.knn(values[200:], base=points, k=3), ww.knn(values[200:], base=values[left], k=3)
    assert np.array_equal(told.ids, points.ids[wanted.ids]) and np.array_equal(told.distances, wanted.distances)
    again = pickle.loads(pickle.dumps(points))
    assert np.array_equal(again.ids, points.ids)
    with pytest.raises(ValueError, match="in use"):
        plain = ww.Points(values)
        tables = ww.LSH(plain, tables=2, functions=2, width=4.0)
        plain.add(values)
    assert len(tables) == len(plain)


@pytest.mark.skipif(program() is None, reason="the program is not installed with this package")
def test_the_program(tmp_path):
    files = {name: tmp_path / f"{name}.npy" for name in ("base", "queries", "subset", "ids")}
    values = BASE["uint8"]
    np.save(files["base"], values)
    np.save(files["queries"], values[:5])
    np.save(files["subset"], np.arange(1000, 1100))
    np.save(files["ids"], np.arange(1000, 1300))
    options = [files["queries"], files["base"], "-k", "2", "--subset", files["subset"], "--base-ids", files["ids"]]
    told = [
        subprocess.run([program(), "knn", *options, *more], check=True, capture_output=True, text=True).stdout
        for more in ([], ["--narrow"])
    ]
    assert told[0] == told[1] and told[0].split()[1] == "1000:0"
    assert np.array_equal(ww.read_points(files["base"], narrow=True), values)
    assert ww.read_points(files["base"], narrow=True).dtype == np.uint8


def test_medoids_of_samples():
    rows = np.repeat([[0.0] * 12, [5.0] * 12, [9.0] * 6 + [0.0] * 6], 40, axis=0) + RNG.normal(size=(120, 12)) * 0.2
    whole = ww.medoids(ww.pdist(rows), 3)
    told = ww.medoids(k=3, series=rows, sample=12, seed=4)
    assert np.array_equal(told.labels, whole.labels) and told.cost >= whole.cost
    assert told.cost == pytest.approx(told.distances.sum())
    assert ww.medoids(k=3, series=rows, sample=120).cost == pytest.approx(whole.cost)


def test_the_estimator():
    wws = pytest.importorskip("wavewarp.sklearn", reason="scikit-learn")
    rows = np.repeat([[0.0] * 12, [5.0] * 12], 30, axis=0) + RNG.normal(size=(60, 12)) * 0.2
    whole = wws.TimeSeriesKMedoids(2).fit(rows)
    for size in ("auto", 10):
        sampled = wws.TimeSeriesKMedoids(2, sample_size=size, random_state=1).fit(rows)
        assert np.array_equal(sampled.labels_, whole.labels_)
        assert np.array_equal(sampled.predict(rows), whole.labels_)
    with pytest.raises(ValueError, match="sample_size"):
        wws.TimeSeriesKMedoids(2, distance="precomputed", sample_size=10).fit(np.zeros((20, 20)))
