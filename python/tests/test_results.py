# SPDX-License-Identifier: Apache-2.0
"""Results unpack and index as ever, say what they are, and become tables and pictures."""

import inspect
import pickle
import sys

import numpy as np
import pytest

import wavewarp as ww

RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=(8, 30)).cumsum(axis=1), np.array(["a", "b"] * 4)
STREAM, POINTS = RNG.normal(size=300).cumsum(), RNG.normal(size=(40, 3))
DATA = lambda: ww.Dataset(X, Y)  # noqa: E731

# A result, words of its repr, and the columns of its table.
RESULTS = {
    "Neighbours": (lambda: ww.kneighbors(X[:3], X, 2), "3 queries, 2 nearest each; dtw", "query rank index distance"),
    "Neighbours of points": (lambda: ww.knn(POINTS, k=2), "40 queries, 2 nearest each; l2", "query rank index distance"),
    "Neighbours in tables": (lambda: ww.LSH(POINTS, tables=4).search(k=2), "; l2", "query rank index distance"),
    "Neighbours in a radius": (lambda: ww.knn(POINTS, radius=0.5), "40 queries, 0 to", "query rank index distance"),
    "Path": (lambda: ww.path(X[0], X[1], root=True), "pairs of points, distance", "x y"),
    "Paths": (lambda: ww.paths(X[:2], X[2:4], "msm"), "2 paths; msm", "pair x y"),
    "Matches": (
        lambda: ww.search(X[:2], STREAM[None], znormalise=True, k=3),
        "6 matches of 2 queries; dtw (a sum of squares, without a root), windows z-normalised",
        "query rank stream begin end distance",
    ),
    "Matches of a monitor": (lambda: ww.Monitor(X[:1], 1e9).push(STREAM), "matches; dtw", "query stream begin end distance"),
    "Average": (lambda: ww.average(X), "30 points, 1 channel", "time value"),
    "Average of channels": (lambda: ww.average(np.stack([X, X], 1)), "2 channels", "time channel 0,channel 1"),
    "Clusters": (lambda: ww.kmeans(X, 2), "2 clusters of 8", "series label distance"),
    "Medoids": (lambda: ww.medoids(ww.pdist(X), 2), "2 clusters of 8", "item label medoid"),
    "Classification": (
        lambda: ww.classify(DATA(), DATA()),
        "8 series, 2 classes, 1 neighbour each, 8 of 8 right, accuracy 1",
        "series predicted probability nearest distance",
    ),
    "Classification without labels": (
        lambda: ww.classify(DATA(), X),
        "no labels to compare with",
        "series predicted probability nearest distance",
    ),
    "Classification by values": (
        lambda: ww.classify(DATA(), X, targets=np.arange(8.0)),
        "values of 8 series",
        "series predicted nearest distance",
    ),
    "Choice": (lambda: ww.choose(DATA(), ["dtw", "msm"]), "of 2 measures, accuracy", "measure accuracy"),
    "SoftValues": (lambda: ww.soft(X[:3]), "values (3, 3), rows (3, 1, 30)", "row column value"),
    "SoftValues of pairs": (lambda: ww.soft(X[:3], pairs=True, want="values"), "values (3,)", "pair value"),
    "Silhouette": (lambda: ww.silhouette(ww.pdist(X), Y), "of 8 items", "item silhouette"),
    "Profile": (lambda: ww.profile(STREAM, 20), "281 windows of 20 points of a series", "window rank index distance"),
    "Profile of two": (lambda: ww.profile(STREAM, 20, STREAM[:90]), "against another", "window rank index distance"),
    "Consensus": (lambda: ww.consensus_motif(X, 20), "of series", "name value"),
    "Motif": (lambda: ww.profile(STREAM, 20).motifs(1)[0], "windows", "name value"),
}


def columns_of(names):
    return names.replace(",", "\n").split() if "," not in names else ["time", "channel 0", "channel 1"]


@pytest.mark.parametrize("name", RESULTS)
def test_results(name):
    made, words, columns = RESULTS[name][0](), *RESULTS[name][1:]
    assert type(made).__name__ == name.split()[0] and isinstance(made, ww.Result)
    assert repr(made).startswith(f"<wavewarp.{type(made).__name__}: ") and words in repr(made).splitlines()[0]
    assert len(repr(made).splitlines()) <= 13  # a line, a heading, ten rows, and how many more
    assert ("<svg" if made._draw is not None and "matplotlib" in sys.modules else "<p>") in made._repr_html_()
    copied = pickle.loads(pickle.dumps(made))
    assert type(copied) is type(made)
    assert list(made._columns()) == columns_of(columns)
    pandas = pytest.importorskip("pandas")
    frame = made.to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame) == columns_of(columns) and len(frame) > 0


def test_pictures(monkeypatch):
    pytest.importorskip("matplotlib")
    for name in ("Path", "Average", "Clusters", "Classification", "SoftValues", "Profile", "Profile of two"):
        assert "<svg" in RESULTS[name][0]()._repr_html_()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "<table>" in RESULTS["Path"][0]()._repr_html_()


def test_as_ever():
    """What a tuple, an array or a record does, results do."""
    values, indices = found = ww.kneighbors(X[:3], X, 2)
    assert values is found[0] is found.distances and indices is found[1] is found.indices is found.ids
    assert isinstance(found, tuple) and len(found) == 2 and found.measure == ww.Measure("dtw")
    cells, distance = ww.path(X[0], X[1])
    assert isinstance(distance, float) and cells.shape[1] == 2
    mean, each = ww.silhouette(ww.pdist(X), Y)
    assert each.shape == (8,) and isinstance(mean, float)
    matches = ww.search(X[:2], STREAM[None], znormalise=True, k=3)
    assert type(matches["distance"]) is np.ndarray and matches["begin"].shape == (2, 3)
    assert matches[0].shape == (3,) and matches[0, 1]["begin"] == matches["begin"][0, 1]
    assert type(matches == matches) is np.ndarray and (matches == np.asarray(matches)).all()
    assert type(matches[matches["distance"] > 0]) is ww.Matches and "1 query" not in repr(matches[0])
    assert repr(matches.view(np.int64)) == repr(np.asarray(matches).view(np.int64))
    assert ww.Matches(shape=(0, 3), dtype=matches.dtype)._columns()["rank"].size == 0
    assert vars(ww.medoids(ww.pdist(X), 2)).keys() >= {"labels", "medoids", "cost", "swaps", "converged"}
    made, clusters = ww.average(X), ww.kmeans(X, 2)
    assert made.center is made.centre and clusters.centers is clusters.centres  # American spelling
    with pytest.raises(AttributeError):
        made.centroid


def test_accuracy():
    train, half = DATA(), ww.Dataset(X[:4], ["a", "a", None, "b"])
    told = ww.classify(train, half)
    assert told.accuracy == told.correct / told.labelled == 2 / 3
    assert told.class_names.tolist() == ["a", "b"] and told.confusion.sum() == 3
    assert ww.classify(train, X).accuracy is None
    assert ww.classify(train, half, targets=np.arange(8.0)).accuracy is None


def test_what_objects_hold():
    index, model = ww.LSH(POINTS, tables=4), ww.Shapelets(min_length=5, max_length=6, best=2)
    assert "40 points (numbers, dimension 3), l2: 4 tables of 10 functions" in repr(index)
    assert "not fitted" in repr(model) and "best=2" in repr(model)
    model.fit(X, Y)
    assert "of 8 series, a tree of" in repr(model) and "classes a, b" in repr(model)
    assert "3 nearest of 8 series, classes a, b; msm" in repr(ww.Classifier(DATA(), "msm", k=3))
    assert "regression" in repr(ww.Classifier(DATA(), targets=np.arange(8.0)))


@pytest.mark.parametrize("words", ["dtw", "dtw,root", "msm", "dtw,cost=absolute", "wdtw", "edr,root"])
def test_rooted_or_not(words):
    """A measure says it, and so does each result of it."""
    said = ww.Measure(words).said
    assert ("with the root" in said) == ("root" in words)
    assert ("without a root" in said) == (words in ("dtw", "wdtw"))
    assert said in repr(ww.kneighbors(X[:1], X, measure=words))


def test_first_lines_say_the_root():
    for function in (ww.distance, ww.cdist, ww.pdist, ww.pairs, ww.kneighbors, ww.path, ww.paths, ww.knn, ww.profile, ww.search):
        assert "root" in inspect.getdoc(function).split("\n\n")[0], function


def test_one_order_of_arguments():
    """The queries come first, in points as in series."""
    for function in (ww.knn, ww.kneighbors, ww.search):
        assert next(iter(inspect.signature(function).parameters)) == "queries"
    near = ww.knn(POINTS[:4], base=POINTS, k=3)
    squares = ww.kneighbors(POINTS[:4], POINTS, 3, band="sakoe-chiba:0", root=True)
    np.testing.assert_array_equal(near.indices, squares.indices)
    np.testing.assert_allclose(near.distances, squares.distances)


def test_search_takes_one_series_alone():
    want = ww.search(X[:1], STREAM[None], znormalise=True, k=3)
    streams = [STREAM, list(STREAM), ww.Source(STREAM), STREAM[None], ww.SeriesSet(STREAM[None])]
    for pandas in filter(None, [sys.modules.get("pandas")]):
        streams.append(pandas.Series(STREAM))
    for query in (X[0], list(X[0]), tuple(X[0])):
        for stream in streams:
            found = ww.search(query, stream, znormalise=True, k=3)
            assert found.shape == (3,) and (found == want[0]).all()
    both = ww.search(X[:2], STREAM, znormalise=True, k=3)
    assert both.shape == (2, 3) and (both[0] == want[0]).all()
    assert ww.Search(X[0], znormalise=True, k=3).run(STREAM).shape == (1, 3)
    assert len(ww.Monitor(X[0], 1e9).push(STREAM)) > 0
    assert ww.search("bc", "abcd", "levenshtein", kind="windows")[0]["begin"] == 1
