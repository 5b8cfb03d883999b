# SPDX-License-Identifier: Apache-2.0
"""What holds data or was trained goes through pickle, also to other processes."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import wavewarp as ww


def again(value):
    return pickle.loads(pickle.dumps(value))


def series_of(data):
    made = data.to_set()
    return [made[i] for i in range(len(made))]


def same(data):
    copied = again(data)
    assert (copied.precision, copied.channels, copied.lengths.tolist()) == (
        data.precision,
        data.channels,
        data.lengths.tolist(),
    )
    np.testing.assert_array_equal(copied.codes, data.codes)
    assert copied.classes.dtype == data.classes.dtype and copied.classes.tolist() == data.classes.tolist()
    for a, b in zip(series_of(copied), series_of(data)):
        np.testing.assert_array_equal(a, b)
    return copied


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("axes", ["nct", "ntc"])
def test_dataset(rng, kind, axes):
    x = rng.normal(size=(6, 2, 9)).astype(kind)
    data = ww.Dataset(x if axes == "nct" else x.swapaxes(1, 2), [3, None, 5, 3, 5, 5], axes=axes)
    np.testing.assert_array_equal(np.stack(series_of(data)), x)
    np.testing.assert_array_equal(ww.cdist(same(data)), ww.cdist(data))


def test_dataset_of_unequal_lengths(rng):
    data = ww.Dataset([rng.normal(size=n) for n in (4, 7, 5)], ["b", "a", "b"])
    np.testing.assert_array_equal(ww.cdist(same(data)), ww.cdist(data))


def test_dataset_with_times(rng):
    x = np.stack([rng.normal(size=(4, 6)), rng.random((4, 6)).cumsum(axis=1)], axis=1)
    data = ww.Dataset(x, times=True)
    want = ww.cdist(data, measure="twed")
    np.testing.assert_array_equal(ww.cdist(same(data), measure="twed"), want)
    assert (want != ww.cdist(x[:, :1], measure="twed")).any()


def test_dataset_of_a_set(rng):
    held = ww.SeriesSet(rng.normal(size=(3, 5)), ["x", "y", "x"])
    data = ww.Dataset(held, precision="float")
    np.testing.assert_array_equal(np.stack(series_of(same(data))), held.to_numpy())
    np.testing.assert_array_equal(ww.cdist(again(data)), ww.cdist(data))
    texts = ww.Dataset(["abc", "abd", "x"])
    np.testing.assert_array_equal(ww.cdist(again(texts), measure="levenshtein"), ww.cdist(texts, measure="levenshtein"))


def test_dataset_that_changes(rng):
    x = rng.normal(size=(3, 5))
    data = ww.Dataset(x, updates=True)
    data.update(x + 1)
    copy = same(data)
    np.testing.assert_array_equal(np.stack(series_of(copy))[:, 0], x + 1)
    copy.update(x)
    np.testing.assert_array_equal(ww.cdist(copy), ww.cdist(x))
    buffer = ww.Buffer((3, 5))
    buffer.write(x.astype(np.float32))
    copy = same(ww.Dataset.from_buffer(buffer))
    copy.update(x)
    holes = np.array([[1.0, np.nan, 2.0]])
    np.testing.assert_array_equal(series_of(again(ww.Dataset(holes, allow_nan=True)))[0], holes)


def test_classifier(cbf):
    x, y = cbf
    train, test = ww.Dataset(x[::2], y[::2]), x[1::2]
    for options in ({"k": 3, "vote": "distance"}, {"targets": np.arange(12.0)}):
        made = ww.Classifier(train, "msm", c=0.5, progress=lambda done, total: None, **options)
        want, told = made.run(test), again(made).run(test)
        assert told.predicted.tolist() == want.predicted.tolist()
        np.testing.assert_array_equal(told.distances, want.distances)


def test_points(rng):
    for kind in (np.float32, np.float64):
        x = rng.normal(size=(150, 7)).astype(kind)
        for made in (ww.Points(x), ww.Points(np.asfortranarray(x)), ww.Points(x, max_bytes=7 * 128 * x.itemsize)):
            copy = again(made)
            assert (copy.kind, copy.dimension, copy.dtype, len(copy)) == ("numbers", 7, kind, 150)
            np.testing.assert_array_equal(copy.values(), x)
            for told, want in zip(ww.knn(copy, k=3), ww.knn(made, k=3)):
                np.testing.assert_array_equal(told, want)
    assert again(ww.Points(x, precision="float")).dtype == np.float32
    bits = rng.random((140, 45)) < 0.5
    copy = again(ww.Points(bits))
    assert (copy.kind, copy.dimension) == ("bits", 45)
    np.testing.assert_array_equal(copy.values(), np.packbits(bits, axis=1, bitorder="little"))
    sets = [{5, 1, 2**32 - 1}, set(), {7}]
    assert again(ww.Points(sets)).values() == sets


PROFILES = {
    "a series": lambda x, y: ww.profile(x[0], 12, k=2, left_right=True),
    "channels": lambda x, y: ww.profile(x[:2], 12, exclusion=5, best_channels=1),
    "two series": lambda x, y: ww.profile(x[0].astype(np.float32), 12, y[0]),
    "a set": lambda x, y: ww.profile(ww.SeriesSet(x), 12, index=1, precision="float"),
    "datasets": lambda x, y: ww.profile(ww.Dataset(x), 12, ww.Dataset(y), index=1, other_index=2),
    "a dataset in float": lambda x, y: ww.profile(ww.Dataset(x.astype(np.float32)), 12, index=2),
    "parts": lambda x, y: (plan := ww.ProfilePlan(x[0], 12)).join([plan.rectangle(0, 99, 0, 99)]),
}


@pytest.mark.parametrize("how", [again, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", PROFILES)
def test_profile(rng, name, how):
    x, y = rng.normal(size=(3, 110)).cumsum(axis=1), rng.normal(size=(4, 80)).cumsum(axis=1)
    x[:, 30] = np.nan if name == "a series" else x[:, 30]
    made = PROFILES[name](x, y)
    x[:], y[:] = 0, 0  # what the arrays hold later is nothing to the profile
    copied = how(made)
    sides = "distances", "indices", "left_distances", "left_indices", "right_distances", "right_indices"
    for name_of_one in sides:
        np.testing.assert_array_equal(getattr(copied, name_of_one), getattr(made, name_of_one))
    assert vars(copied.info) == vars(made.info) and copied.plan.k == made.plan.k
    np.testing.assert_array_equal(copied.distances_of(5), made.distances_of(5))
    assert copied.discords().tolist() == made.discords().tolist() != []
    if name in ("two series", "datasets"):
        return
    found = [[(m.first, m.second, m.distance, m.neighbours.tolist()) for m in p.motifs(2)] for p in (made, copied)]
    assert found[0] == found[1] != []
    if name == "a series":
        assert again(copied).stumpy().tolist() == made.stumpy().tolist()  # a copy of a copy that made its plan


def test_source(rng):
    x = rng.normal(size=(2, 300))
    source = ww.Source(x[1])
    want = ww.search(x[:1, :20], source, znormalise=True)
    np.testing.assert_array_equal(ww.search(x[:1, :20], again(source), znormalise=True), want)


def test_records(rng):
    """What functions return is plain data."""
    x, y = rng.normal(size=(8, 20)), np.arange(8) % 2
    data, points = ww.Dataset(x, y), rng.normal(size=(40, 3)).astype(np.float32)
    model, index = ww.Shapelets(min_length=5, max_length=6, best=2).fit(data), ww.LSH(points, tables=2)
    plan = ww.Plan("dtw", data)
    made = {
        "average": ww.average(x),
        "kmeans": ww.kmeans(x, 2),
        "medoids": ww.medoids(ww.pdist(x), 2),
        "linkage": ww.linkage(ww.pdist(x)),
        "classify": ww.classify(data),
        "choose": ww.choose(data, ["dtw", "msm"]),
        "paths": ww.paths(x, x),
        "soft": ww.soft(x[:2], want=("values", "rows", "alignment")),
        "matches": ww.search(x[:1, :9], x, znormalise=True),
        "a plan's record": plan.info,
        "hashing": (index.info, index.options, ww.LSH.choose(points, 2, 0.8)[1]),
        "shapelets": (model.info, model.shapelets, model.nodes),
        "devices": (ww.devices(), ww.default_context().device),
        "measures": (ww.measures(), ww.tuning_parameters()),
    }
    for name, value in made.items():
        for how in (again, copy.deepcopy):
            assert repr(how(value)) == repr(value), name


def test_errors():
    for call in (lambda: ww.Dataset([[1.0, np.nan]]), lambda: ww.read("no such file"), lambda: ww.Context("no such")):
        with pytest.raises(ww.Error) as told:
            call()
        assert vars(again(told.value)) == vars(told.value) and str(again(told.value)) == str(told.value)


def first_row(data):
    return ww.cdist(data)[0]


def nearest(points):
    return ww.knn(points, k=2)[1]


def test_other_processes(rng):
    data = ww.Dataset(rng.normal(size=(4, 8)))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(first_row, (data,)), first_row(data))
        points = ww.Points(rng.normal(size=(9, 3)))
        np.testing.assert_array_equal(pool.apply(nearest, (points,)), nearest(points))


def test_joblib(rng):
    joblib = pytest.importorskip("joblib")
    sets = [ww.Dataset(rng.normal(size=(4, 8))) for _ in range(3)]
    points = ww.Points(rng.normal(size=(9, 3)))
    with joblib.parallel_backend("loky"):
        rows = joblib.Parallel(n_jobs=2)(joblib.delayed(first_row)(data) for data in sets)
        (ids,) = joblib.Parallel(n_jobs=2)([joblib.delayed(nearest)(points)])
    np.testing.assert_array_equal(ids, nearest(points))
    for row, data in zip(rows, sets):
        np.testing.assert_array_equal(row, first_row(data))
