# SPDX-License-Identifier: Apache-2.0
"""Calls that are refused, by the function whose docstring says so and by the error. test_docstrings.py makes them."""

import functools
import pathlib
import shutil

import numpy as np
import pytest

import wavewarp as ww

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(6, 20)).cumsum(axis=1), np.arange(6) % 2
STREAM, POINTS = RNG.normal(size=300).cumsum(), RNG.normal(size=(50, 4))
NAN = np.where(X == X[2, 3], np.nan, X)
CHANNELS = np.zeros((2, 3, 20))
SOFT = ww.Measure("dtw", gamma=1.0)
CORNER = {"band": "sakoe-chiba:1"}
OPTIONS = {"min_length": 5, "max_length": 6}


def once(function):
    """What many rows use is made once, when the first needs it."""
    return functools.lru_cache(maxsize=None)(function)


data = once(lambda: ww.Dataset(X, Y))
single = once(lambda: ww.Dataset(X.astype(np.float32)))
elsewhere = once(lambda: ww.Dataset(X, context=ww.Context()))
texts = once(lambda: ww.SeriesSet(X))
plan = once(lambda: ww.Plan("dtw", data()))
listed = once(lambda: ww.Plan("dtw", data(), pairs=([0], [1])))
slopes = once(lambda: ww.Gradient(SOFT, data()))
nearest = once(lambda: ww.NearestPlan("dtw", data()))
index = once(lambda: ww.LSH(POINTS, tables=2))
motifs = once(lambda: ww.profile(STREAM, 20))
joined = once(lambda: ww.profile(STREAM, 20, STREAM[:90]))
windows = once(lambda: ww.ProfilePlan(STREAM, 20))
searching = once(lambda: ww.Search(X[:1], znormalise=True))
found = once(lambda: ww.search(X[:1], STREAM[None], znormalise=True, k=3))
model = once(lambda: ww.Shapelets(best=2, **OPTIONS).fit(data()))
best = once(lambda: ww.Shapelets(best=2, no_tree=True, **OPTIONS).fit(data()))


def ended():
    made = ww.Monitor(X[:1], 1.0)
    made.finish()
    return made


def closed_store():
    made = ww.Store("closed.store")
    made.close(keep=False)
    return made


def store_of_another():
    made = ww.Store("another.store")
    made.run(ww.pairs, X, X)
    made.close()
    return ww.Store("another.store")


def tuned_nowhere():
    pathlib.Path("tuned").mkdir()
    pathlib.Path("tuned/file").touch()
    context = ww.Context(tuning_file="tuned/file")
    shutil.rmtree("tuned")
    pathlib.Path("tuned").touch()
    context.tune(seconds=1e-6)


def full(call):
    """A call in a process that may write no more than 100 bytes a file."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        return call()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# A function, and calls of it: each raises the error before it. Files of these names are in an empty folder.
REFUSED = {
    "ArrayFile": {
        "FileError": [lambda: ww.ArrayFile("no/x.npy", (2, 2))],
        "ValueError": [lambda: ww.ArrayFile("x.npy", (2,))],
        "TypeError": [lambda: ww.ArrayFile("x.npy", (2, 2), int)],
    },
    "Store": {
        "FileError": [lambda: ww.Store("no/x"), lambda: ww.Store("text")],
        "ValueError": [lambda: ww.Store("x", part=(3, 2))],
    },
    "Store.join": {"FileError": [lambda: ww.Store.join(["text"])], "ValueError": [lambda: ww.Store.join("none*")]},
    "Store.context": {"ValueError": [lambda: closed_store().context()]},
    "Store.run": {
        "FileError": [lambda: store_of_another().run(ww.cdist, np.ones((2, 5)))],
        "ValueError": [lambda: closed_store().run(ww.cdist, np.ones((2, 5)))],
    },
    "ArrayFile.put": {
        "ValueError": [lambda: ww.ArrayFile("x.npy", (4, 5)).put(3, 4, np.zeros((2, 2)))],
        "FileError": [lambda: full(lambda: ww.ArrayFile("x.npy", (4, 500)).put(0, 0, np.zeros((4, 500))))],
    },
    "ArrayFile.close": {
        "ValueError": [
            lambda: ww.ArrayFile("y.npy", (4, 5)).close(),
        ]
    },
    "Buffer": {
        "TypeError": [lambda: ww.Buffer(3, int)],
        "ValueError": [lambda: ww.Buffer(0)],
        "MemoryError": [lambda: ww.Buffer((1 << 40, 1 << 15))],
    },
    "Buffer.of": {
        "TypeError": [lambda: ww.Buffer.of([1, 2])],
        "ValueError": [lambda: ww.Buffer.of(np.zeros((1, 0)))],
        "MemoryError": [lambda: ww.Buffer.of(np.broadcast_to(0.0, (1 << 40, 1 << 15)))],
    },
    "Buffer.write": {"ValueError": [lambda: ww.Buffer(3).write(np.zeros(4))]},
    "Classifier": {"ValueError": [lambda: ww.Classifier(data(), "no"), lambda: ww.Classifier(data(), targets=[1])]},
    "Classifier.run": {
        "ValueError": [
            lambda: ww.Classifier(X).run(),
            lambda: ww.Classifier(data(), targets=[np.nan] * 6).run(),
            lambda: ww.Classifier(data(), k=0).run(),
            lambda: ww.Classifier(data(), vote="foo").run(),
            lambda: ww.Classifier(ww.Dataset(X[:1], [1])).run(),
            lambda: ww.Classifier(data()).run(single()),
            lambda: ww.Classifier(data()).run(CHANNELS),
        ]
    },
    "Context": {
        "NoDeviceError": [lambda: ww.Context("no such")],
        "DeviceError": [lambda: ww.Context(kernel_dir="no")],
        "FileError": [lambda: ww.Context(tuning_file="no/x")],
        "ValueError": [
            lambda: ww.Context([0, 0]),
            lambda: ww.Context(tile_seconds=-1),
            lambda: ww.Context(threads=0),
            lambda: ww.Context(threads=2**40),
        ],
    },
    "Context.tune": {"FileError": [tuned_nowhere]},
    "Dataset": {
        "ValueError": [
            lambda: ww.Dataset(X[0]),
            lambda: ww.Dataset(X[:, :, None], axes="tn"),
            lambda: ww.Dataset([]),
            lambda: ww.Dataset(np.zeros((2, 0))),
            lambda: ww.Dataset([CHANNELS[0, :2], CHANNELS[0]]),
            lambda: ww.Dataset(NAN),
            lambda: ww.Dataset([[1e300]], precision="float"),
            lambda: ww.Dataset(X, Y[:2]),
            lambda: ww.Dataset(np.stack([X, -np.arange(20.0) + 0 * X], axis=1), times=True),
            lambda: ww.Dataset(X, precision="half"),
            lambda: ww.Dataset(X, axes="foo"),
        ],
        "TypeError": [lambda: ww.Dataset(None), lambda: ww.Dataset([["a"]])],
    },
    "Dataset.from_buffer": {
        "TypeError": [lambda: ww.Dataset.from_buffer(X)],
        "ValueError": [lambda: ww.Dataset.from_buffer(ww.Buffer(3))],
    },
    "Dataset.update": {
        "ValueError": [
            lambda: data().update(X),
            lambda: ww.Dataset(X, updates=True).update(X[:2]),
            lambda: ww.Dataset(X, updates=True).update(NAN),
        ]
    },
    "Gradient": {
        "ValueError": [
            lambda: ww.Gradient("edr", data()),
            lambda: ww.Gradient(ww.Measure("edr", gamma=1.0), data()),
            lambda: ww.Gradient(ww.Measure(SOFT, relax=(1, 1, 1, 1)), data()),
            lambda: ww.Gradient(SOFT, data(), pairs=([0], [1, 2])),
            lambda: ww.Gradient(SOFT, data(), weights=True),
        ]
    },
    "Gradient.run": {
        "ValueError": [
            lambda: slopes().run("foo"),
            lambda: slopes().run("weights"),
            lambda: slopes().run(upstream=[1]),
            lambda: slopes().run(upstream=np.full(36, np.nan)),
            lambda: slopes().run(out={"rows": np.zeros(3)}),
            lambda: slopes().run(out={"weights": np.zeros(3)}),
        ]
    },
    "LSH": {
        "ValueError": [
            lambda: ww.LSH(POINTS, metric="linf"),
            lambda: ww.LSH(POINTS, tables=0),
            lambda: ww.LSH(POINTS, width=-1),
            lambda: ww.LSH(POINTS, path="foo"),
            lambda: ww.LSH(POINTS, recall=2),
        ],
    },
    "LSH.add": {"ValueError": [lambda: index().add(POINTS[:, :2]), lambda: index().add(np.full((1, 4), np.nan))]},
    "LSH.remove": {"ValueError": [lambda: index().remove([999]), lambda: index().remove(-1)]},
    "LSH.search": {
        "ValueError": [
            lambda: index().search(POINTS[:, :2]),
            lambda: index().search(k=0),
            lambda: index().search(rows=range(99)),
            lambda: index().search(rows=range(0, 9, 2)),
        ],
        "TypeError": [lambda: index().search(rows=[1])],
    },
    "LSH.search_shard": {
        "ValueError": [
            lambda: index().search_shard(),
            lambda: ww.LSH(POINTS, metric="l1", tables=2).search_shard(base_offset=-1),
        ],
    },
    "LSH.set_options": {
        "ValueError": [lambda: index().set_options(probes=-1), lambda: index().set_options(path="foo")],
    },
    "LSH.save": {"FileError": [lambda: index().save("no/x")]},
    "LSH.load": {"FileError": [lambda: ww.LSH.load("no"), lambda: ww.LSH.load("text")]},
    "LSH.from_bytes": {"FileError": [lambda: ww.LSH.from_bytes(b"nothing")]},
    "LSH.choose": {
        "ValueError": [
            lambda: ww.LSH.choose(POINTS, k=0),
            lambda: ww.LSH.choose(POINTS, recall=2),
            lambda: ww.LSH.choose(POINTS, asking=POINTS[:, :2]),
        ]
    },
    "Measure": {
        "ValueError": [
            lambda: ww.Measure("no"),
            lambda: ww.Measure("dtw", band="x:1"),
            lambda: ww.Measure("dtw", nu=1),
            lambda: ww.Measure("twed", nu=-1),
            lambda: ww.cdist(X, gamma=-1),
            lambda: ww.cdist(X, measure="edr", gamma=1.0),
        ],
        "TypeError": [lambda: ww.Measure("twed", nu=[1]), lambda: ww.Measure("dtw", band=3)],
        "DeviceError": [lambda: ww.cdist(X, cost_expression="x y")],
    },
    "Measure.cells": {"ValueError": [lambda: SOFT.cells(-1, 2)]},
    "Measure.band_rows": {
        "ValueError": [lambda: SOFT.band_rows(0, 2), lambda: ww.Measure("dtw", **CORNER).band_rows(2, 9)]
    },
    "Monitor": {
        "ValueError": [
            lambda: ww.Monitor(X[:1], 1.0, kind="super"),
            lambda: ww.Monitor(X[:1], np.nan),
            lambda: ww.Monitor(X[:1], 1.0, gamma=1.0),
        ]
    },
    "Monitor.push": {
        "ValueError": [lambda: ww.Monitor(X[:1], 1.0).push([[1, 2]]), lambda: ended().push([1.0])],
        "TypeError": [lambda: ww.Monitor(X[:1], 1.0).push(["a"])],
    },
    "Monitor.finish": {"ValueError": [lambda: ended().finish()]},
    "Monitor.delay": {"IndexError": [lambda: ended().delay(1), lambda: ended().delay(-1)]},
    "NearestPlan": {
        "ValueError": [
            lambda: ww.NearestPlan("dtw", X, k=0),
            lambda: ww.NearestPlan("dtw", X, base_offset=-1),
            lambda: ww.NearestPlan("dtw", X, initial=[1]),
            lambda: ww.NearestPlan("dtw", data(), single()),
        ]
    },
    "NearestPlan.run": {"ValueError": [lambda: nearest().run(9, 1), lambda: nearest().run(-1)]},
    "Plan": {
        "ValueError": [
            lambda: ww.Plan("dtw", data(), elsewhere()),
            lambda: ww.Plan("dtw", data(), single()),
            lambda: ww.Plan("dtw", data(), CHANNELS),
            lambda: ww.Plan("dtw", data(), pairs=([9], [0])),
            lambda: ww.Plan("dtw", data(), pairs=([0], [1, 2])),
            lambda: ww.Plan("dtw", data(), pairs=([], [])),
            lambda: ww.Plan("dtw", data(), engine="foo"),
            lambda: ww.Plan("dtw", data(), engine="bits"),
            lambda: ww.Plan("dtw", X, X[:, :9], **CORNER),
            lambda: ww.Plan("ddtw", X[:, :2]),
        ]
    },
    "Plan.prepare": {"DeviceError": [lambda: ww.Plan("dtw", data(), cost_expression="x y").prepare()]},
    "Plan.run": {
        "ValueError": [
            lambda: plan().run(np.zeros((2, 2))),
            lambda: plan().run(np.zeros(36)),
            lambda: plan().run(np.zeros((6, 6), np.float32)),
            lambda: plan().run(np.zeros((6, 12))[:, ::2]),
            lambda: plan().run(np.broadcast_to(0.0, (6, 6))),
        ],
        "TypeError": [lambda: plan().run("a")],
    },
    "Plan.rectangle": {"ValueError": [lambda: plan().rectangle(0, 9, 0, 9), lambda: listed().rectangle(0, 1, 0, 1)]},
    "Plan.cells": {"ValueError": [lambda: plan().cells(0, 99), lambda: listed().cells()]},
    "Points": {
        "ValueError": [
            lambda: ww.Points(POINTS[0]),
            lambda: ww.Points(np.zeros((0, 3))),
            lambda: ww.Points(np.full((2, 2), np.nan)),
            lambda: ww.Points([{-1}]),
            lambda: ww.Points(np.zeros((2, 4), np.uint8), kind="bits", dimension=3),
            lambda: ww.Points(POINTS, kind="foo"),
        ],
        "TypeError": [lambda: ww.Points([["a"]]), lambda: ww.Points(POINTS, kind="bits")],
    },
    "Profile.distances_of": {"ValueError": [lambda: motifs().distances_of(999)]},
    "Profile.motifs": {
        "ValueError": [
            lambda: joined().motifs(),
            lambda: motifs().motifs(-1),
            lambda: motifs().motifs(radius=-1),
            lambda: motifs().motifs(separation=-1),
        ]
    },
    "Profile.discords": {"ValueError": [lambda: motifs().discords(-1), lambda: motifs().discords(separation=-1)]},
    "Profile.stumpy": {"ValueError": [lambda: motifs().stumpy()]},
    "Profile.channels_of": {"ValueError": [lambda: motifs().channels_of(999), lambda: motifs().channels_of(0, 1)]},
    "Profile.arc_curve": {"ValueError": [lambda: joined().arc_curve()]},
    "Profile.regimes": {"ValueError": [lambda: joined().regimes(), lambda: motifs().regimes(-1)]},
    "ProfileStream": {
        "ValueError": [
            lambda: ww.ProfileStream(2),
            lambda: ww.ProfileStream(20, k=65),
            lambda: ww.ProfileStream(20, keep=25),
            lambda: ww.ProfileStream(20, keep=0),
            lambda: ww.ProfileStream(20, channels=0),
            lambda: ww.ProfileStream(20, best_channels=2),
            lambda: ww.ProfileStream(20, p=3),
        ]
    },
    "ProfileStream.push": {
        "ValueError": [lambda: ww.ProfileStream(20).push([[1, 2]]), lambda: ww.ProfileStream(20).push(np.zeros((2, 2, 2)))],
        "TypeError": [lambda: ww.ProfileStream(20).push(["a"])],
    },
    "ProfileStream.regimes": {"ValueError": [lambda: ww.ProfileStream(20).regimes(-1)]},
    "ProfilePlan": {"ValueError": [lambda: ww.ProfilePlan(STREAM, 301)]},
    "ProfilePlan.rectangle": {
        "ValueError": [lambda: windows().rectangle(0, 999, 0, 1), lambda: windows().rectangle(-1, 1, 0, 1)]
    },
    "ProfilePlan.join": {"ValueError": [lambda: windows().join([ww.ProfilePlan(STREAM, 9).rectangle(0, 9, 0, 9)])]},
    "ProfilePlan.distances_of": {"ValueError": [lambda: windows().distances_of(999)]},
    "Search": {"ValueError": [lambda: ww.Search(NAN)]},
    "Search.run": {
        "ValueError": [
            lambda: searching().run(CHANNELS),
            lambda: searching().run(single()),
            lambda: searching().run(elsewhere()),
            lambda: searching().run(STREAM[None], point_offset=-1),
        ]
    },
    "SeriesSet": {
        "ValueError": [
            lambda: ww.SeriesSet([CHANNELS]),
            lambda: ww.SeriesSet([CHANNELS[0], CHANNELS[0, :2]]),
            lambda: ww.SeriesSet(X, Y[:2]),
        ],
        "TypeError": [lambda: ww.SeriesSet([["a"]])],
        "IndexError": [lambda: texts()[99]],
    },
    "SeriesSet.of_texts": {
        "FileError": [lambda: ww.SeriesSet.of_texts([b"\xff"])],
        "ValueError": [lambda: ww.SeriesSet.of_texts([""]), lambda: ww.SeriesSet.of_texts(["a"], ["x", "y"])],
    },
    "SeriesSet.add": {
        "ValueError": [
            lambda: texts().add(CHANNELS[0]),
            lambda: texts().add([]),
            lambda: ww.SeriesSet(X).add([1, 2], times=[1]),
            lambda: ww.SeriesSet(X).add([1, 2], times=[2, 1]),
        ],
        "TypeError": [lambda: texts().add(["a"])],
    },
    "SeriesSet.set_times": {
        "ValueError": [lambda: texts().set_times(0, [1]), lambda: texts().set_times(0, -np.arange(20))],
        "IndexError": [lambda: texts().set_times(99, [1])],
    },
    "SeriesSet.times": {"IndexError": [lambda: texts().times(99)]},
    "SeriesSet.shift_times": {"ValueError": [lambda: texts().shift_times(np.nan)]},
    "SeriesSet.to_numpy": {
        "ValueError": [lambda: ww.SeriesSet([X[0], X[1, :9]]).to_numpy(), lambda: ww.SeriesSet().to_numpy()]
    },
    "SeriesSet.embed": {
        "ValueError": [lambda: ww.SeriesSet([[1.0]]).embed(-1), lambda: ww.SeriesSet([[1.0]]).embed(1 << 62)],
        "MemoryError": [lambda: ww.SeriesSet([[1.0]]).embed(1 << 56)],
    },
    "SeriesSet.znormalise": {"ValueError": [lambda: ww.SeriesSet(NAN).znormalise()]},
    "SeriesSet.fill_missing": {
        "ValueError": [
            lambda: ww.SeriesSet([[np.nan] * 2]).fill_missing(),
            lambda: ww.SeriesSet([[np.nan] * 2]).fill_missing("drop"),
            lambda: texts().fill_missing("foo"),
        ]
    },
    "SeriesSet.write": {
        "ValueError": [
            lambda: texts().write("x"),
            lambda: texts().write("x.tsv"),
            lambda: ww.SeriesSet(CHANNELS, ["a", "b"]).write("x.tsv"),
            lambda: ww.SeriesSet([X[0], X[1, :9]]).write("x.npy"),
        ],
        "FileError": [lambda: texts().write("no/x.npy")],
    },
    "Shapelets.fit": {
        "ValueError": [
            lambda: ww.Shapelets().fit(X),
            lambda: ww.Shapelets().fit(X, np.zeros(6)),
            lambda: ww.Shapelets(min_length=1).fit(X, Y),
            lambda: ww.Shapelets(min_length=99).fit(X, Y),
            lambda: ww.Shapelets(quality="foo").fit(X, Y),
            lambda: ww.Shapelets(no_tree=True, best=10**6).fit(X, Y),
        ],
    },
    "Shapelets.predict": {
        "ValueError": [lambda: ww.Shapelets().predict(X), lambda: best().predict(X), lambda: model().predict(CHANNELS)]
    },
    "Shapelets.transform": {
        "ValueError": [
            lambda: ww.Shapelets().transform(X),
            lambda: model().transform(X, first=99),
            lambda: model().transform(X, count=99),
            lambda: model().transform(CHANNELS),
        ]
    },
    "Shapelets.classes": {"ValueError": [lambda: ww.Shapelets().classes]},
    "Shapelets.info": {"ValueError": [lambda: ww.Shapelets().info]},
    "Shapelets.shapelets": {"ValueError": [lambda: ww.Shapelets().shapelets]},
    "Shapelets.nodes": {"ValueError": [lambda: ww.Shapelets().nodes]},
    "Shapelets.to_json": {"ValueError": [lambda: ww.Shapelets().to_json()]},
    "Shapelets.save": {
        "ValueError": [lambda: ww.Shapelets().save("x")],
        "FileError": [lambda: model().save("no/x")],
    },
    "Shapelets.load": {"FileError": [lambda: ww.Shapelets.load("no"), lambda: ww.Shapelets.load("text")]},
    "Shapelets.from_json": {"FileError": [lambda: ww.Shapelets.from_json("{")]},
    "Source": {
        "ValueError": [
            lambda: ww.Source(lambda first, count: None),
            lambda: ww.Source(lambda first, count: None, -1),
            lambda: ww.Source(CHANNELS),
            lambda: ww.search(X[:1], ww.Source(lambda first, count: np.zeros(3), 100)),
        ],
        "TypeError": [lambda: ww.Source(lambda first, count: None, 3, dtype=int)],
    },
    "average": {
        "ValueError": [
            lambda: ww.average(X, members=[]),
            lambda: ww.average(X, members=[9]),
            lambda: ww.average(X, weights=-np.ones(6)),
            lambda: ww.average(X, weights=np.zeros(6)),
            lambda: ww.average(X, weights=[1]),
            lambda: ww.average(X, "edr"),
            lambda: ww.average(X, start=CHANNELS[0]),
            lambda: ww.average(X, start=[1, np.nan]),
            lambda: ww.average(X, length=2, **CORNER),
            lambda: ww.average(X, tolerance=2),
        ]
    },
    "cdist": {
        "ValueError": [lambda: ww.cdist(X, out=np.zeros(3)), lambda: ww.cdist(X, NAN)],
        "TypeError": [lambda: ww.cdist(X, out="a")],
    },
    "choose": {
        "TypeError": [lambda: ww.choose(data(), "dtw")],
        "ValueError": [lambda: ww.choose(data(), []), lambda: ww.choose(data(), ["no"]), lambda: ww.choose(X, ["dtw"])],
    },
    "choose_matches": {
        "ValueError": [
            lambda: ww.choose_matches(found(), 0, 3),
            lambda: ww.choose_matches(found(), 3, 3),
            lambda: ww.choose_matches(found(), 1, [1, 2]),
        ]
    },
    "classify": {"ValueError": [lambda: ww.classify(data(), NAN), lambda: ww.classify(data(), foo=1)]},
    "cut": {
        "ValueError": [
            lambda: ww.cut([[0, 1, 2, 2.0]], 0),
            lambda: ww.cut([[0, 1, 2, 2.0]], 9),
            lambda: ww.cut([[0, 1, 2, 2.0]], 1, np.nan),
            lambda: ww.cut([0, 1, 2]),
            lambda: ww.cut(np.zeros((3, 4)), 2),
        ],
    },
    "distance": {
        "ValueError": [
            lambda: ww.distance(X[0], CHANNELS[0]),
            lambda: ww.distance(X[0], []),
            lambda: ww.distance(X[0], [1, np.nan]),
            lambda: ww.distance(X[0], X[1, :3], **CORNER),
            lambda: ww.distance(X[0], X[1], "no"),
        ],
        "TypeError": [lambda: ww.distance(X[0], ["a"])],
    },
    "generate": {
        "ValueError": [
            lambda: ww.generate("foo"),
            lambda: ww.generate("cbf", 0),
            lambda: ww.generate("cbf", 3, length=9, max_length=3),
        ]
    },
    "kmeans": {
        "ValueError": [
            lambda: ww.kmeans(X, 0),
            lambda: ww.kmeans(X, 99),
            lambda: ww.kmeans(X, 2, "edr"),
            lambda: ww.kmeans(X, 2, starts=0),
            lambda: ww.kmeans(X, 2, tolerance=2),
            *[lambda f=f: ww.kmeans(X, 2, first=f) for f in (X[:3], CHANNELS, NAN[1:3])],
            lambda: ww.kmeans(X, 2, first=X[:2], starts=2),
            *[lambda w=w: ww.kmeans(X, 2, weights=[1] * 4 + w) for w in ([1], [1, -1], [1, np.inf])],
            lambda: ww.kmeans(X, 2, weights=np.zeros(6)),
        ]
    },
    "kneighbors": {"ValueError": [lambda: ww.kneighbors(X, k=0), lambda: ww.kneighbors(X[:1])]},
    "knn": {
        "ValueError": [
            lambda: ww.knn(POINTS, k=0),
            lambda: ww.knn(POINTS, k=2**21),
            lambda: ww.knn(POINTS[:, :2], base=POINTS),
            lambda: ww.knn(POINTS, metric="foo"),
            lambda: ww.knn(POINTS, metric="hamming"),
            lambda: ww.knn(POINTS, radius=np.nan),
        ],
        "TypeError": [lambda: ww.knn(POINTS, POINTS), lambda: ww.knn([["a"]])],
    },
    "knn_mean": {"ValueError": [lambda: ww.knn_mean([0], [1.0]), lambda: ww.knn_mean([[9]], [1.0])]},
    "knn_recall": {"ValueError": [lambda: ww.knn_recall(POINTS, POINTS[:2])]},
    "knn_shard": {
        "ValueError": [
            lambda: ww.knn_shard(POINTS, metric="l2"),
            lambda: ww.knn_shard(POINTS, base_offset=-1),
            lambda: ww.knn_shard(POINTS, initial=[1]),
            lambda: ww.knn_shard(POINTS, k=0),
        ],
        "TypeError": [lambda: ww.knn_shard(POINTS, POINTS)],
    },
    "knn_vote": {"ValueError": [lambda: ww.knn_vote([0], ["a"]), lambda: ww.knn_vote([[9]], ["a"])]},
    "linkage": {
        "ValueError": [
            lambda: ww.linkage(np.zeros(3), "foo"),
            lambda: ww.linkage(np.zeros(4)),
            lambda: ww.linkage([1, np.nan, 2]),
            lambda: ww.linkage(-np.ones(3), "ward"),
        ]
    },
    "lsh_collision": {"ValueError": [lambda: ww.lsh_collision("foo", 1)]},
    "medoids": {
        "ValueError": [
            lambda: ww.medoids(np.zeros(3), 0),
            lambda: ww.medoids(np.zeros(3), 9),
            lambda: ww.medoids(np.zeros(4), 2),
            lambda: ww.medoids([1, np.nan, 2], 2),
        ]
    },
    "merge_matches": {
        "ValueError": [lambda: ww.merge_matches(found(), found()[:, :2]), lambda: ww.merge_matches([1], [2])]
    },
    "merge_neighbours": {
        "ValueError": [lambda: ww.merge_neighbours(([1.0], [1]), ([1.0], [1]))],
        "TypeError": [lambda: ww.merge_neighbours(([["a"]], [[1]]), ([["a"]], [[1]]))],
    },
    "nearest_shard": {"ValueError": [lambda: ww.nearest_shard(X, None, 0)]},
    "pairs": {
        "ValueError": [
            lambda: ww.pairs(X, X[:2]),
            lambda: ww.pairs(X, X, indices=([], [])),
            lambda: ww.pairs(X, X, indices=([0], [1, 2])),
            lambda: ww.pairs(X, X, indices=([0], [9])),
            lambda: ww.pairs(X, X, out=np.zeros(3)),
        ],
        "TypeError": [lambda: ww.pairs(X, X, indices=([0.5], [1]))],
    },
    "parse_band": {"ValueError": [lambda: ww.parse_band("x:1"), lambda: ww.parse_band("sakoe-chiba:10%")]},
    "path": {
        "ValueError": [
            lambda: ww.path(X[0], X[1], gamma=1.0),
            lambda: ww.path(X[0], X[1, :2], **CORNER),
            lambda: ww.path(X[0], CHANNELS[0]),
            lambda: ww.path(X[0], []),
        ],
        "TypeError": [lambda: ww.path(X[0], ["a"])],
    },
    "paths": {"ValueError": [lambda: ww.paths(X, X, gamma=1.0), lambda: ww.paths(X, X[:2])]},
    "pdist": {"ValueError": [lambda: ww.pdist(X, out=np.zeros(3)), lambda: ww.pdist(NAN)]},
    "profile": {
        "ValueError": [
            lambda: ww.profile(STREAM, 2),
            lambda: ww.profile(STREAM, 301),
            lambda: ww.profile(STREAM, 20, k=0),
            lambda: ww.profile(STREAM, 20, k=65),
            lambda: ww.profile(STREAM, 20, exclusion=999),
            lambda: ww.profile(STREAM, 20, CHANNELS[0]),
            lambda: ww.profile(STREAM, 20, STREAM, left_right=True),
            lambda: ww.profile(data(), 5, precision="float"),
            lambda: ww.profile(data(), 5, index=99),
        ]
    },
    "rand_index": {"ValueError": [lambda: ww.rand_index([0, 1], [0]), lambda: ww.rand_index([0, 1], [None, 1])]},
    "read": {
        "FileError": [lambda: ww.read("no"), lambda: ww.read("text.tsv")],
        "ValueError": [lambda: ww.read("empty.tsv"), lambda: ww.read("text.tsv", missing="foo")],
    },
    "read_points": {
        "FileError": [lambda: ww.read_points("no"), lambda: ww.read_points("text")],
        "ValueError": [lambda: ww.read_points("text", "foo")],
    },
    "search": {
        "ValueError": [
            *[lambda k=k: ww.search(X[:1], STREAM[None], k=k) for k in (0, 4097)],
            lambda: ww.search(X[:1], STREAM[None], kind="foo"),
            lambda: ww.search(X[:1], STREAM[None], kind="open", znormalise=True),
            lambda: ww.search(X[:1], STREAM[None], gamma=1.0),
            lambda: ww.search(NAN, STREAM[None]),
            lambda: ww.search(X[:1], CHANNELS),
            lambda: ww.search(X[:1], STREAM[None], threshold=np.nan),
        ]
    },
    "search_places": {
        "ValueError": [lambda: ww.search_places(-1, 3)],
        "TypeError": [lambda: ww.search_places(1.5, 3)],
    },
    "sets_of_bits": {
        "ValueError": [lambda: ww.sets_of_bits(np.zeros(3, bool))],
        "TypeError": [lambda: ww.sets_of_bits(POINTS)],
    },
    "silhouette": {
        "ValueError": [
            lambda: ww.silhouette(np.zeros(3), [0, 1]),
            lambda: ww.silhouette(np.zeros(3), [0, None, 1]),
            lambda: ww.silhouette(-np.ones(3), [0, 1, 1]),
            lambda: ww.silhouette([1, np.nan, 2], [0, 1, 1]),
        ]
    },
    "soft": {
        "ValueError": [
            lambda: ww.soft(X, gamma=-1),
            lambda: ww.soft(X, gamma=1e-40),
            lambda: ww.soft(X, want="foo"),
            lambda: ww.soft(X, measure="edr"),
        ]
    },
    "topk": {
        "ValueError": [lambda: ww.topk(X[0], 1), lambda: ww.topk(X, 0), lambda: ww.topk(np.zeros((0, 3)), 1)],
        "TypeError": [lambda: ww.topk([["a"]], 1)],
    },
    "write": {
        "ValueError": [lambda: ww.write("x", X)],
        "TypeError": [lambda: ww.write("x.npy", [["a"]])],
        "FileError": [lambda: ww.write("no/x.npy", X)],
    },
    "write_array": {
        "ValueError": [lambda: ww.write_array("x.npy", CHANNELS)],
        "TypeError": [lambda: ww.write_array("x.npy", ["a"])],
        "FileError": [lambda: ww.write_array("no/x.npy", X)],
    },
    "write_points": {
        "FileError": [lambda: ww.write_points("no/x.npy", POINTS)],
        "ValueError": [lambda: ww.write_points("x.fvecs", [{1}])],
        "TypeError": [lambda: ww.write_points("x.fvecs", [["a"]])],
    },
}
