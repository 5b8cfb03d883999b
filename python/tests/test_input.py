# SPDX-License-Identifier: Apache-2.0
"""Arguments that a user gets wrong, and arrays of odd kinds."""

import numpy as np
import pytest

import wavewarp as ww

RNG = np.random.default_rng(5)
X, POINTS, STREAM = RNG.normal(size=(6, 20)), RNG.normal(size=(50, 4)), RNG.normal(size=300).cumsum()
LABELLED = lambda: ww.Dataset(X, np.arange(6) % 2)  # noqa: E731

# What is wrong, a call, its error, and words that its text has.
REFUSED = {
    "axes of two": (lambda: ww.cdist(X, axes="abc"), ValueError, "axes is 'abc'"),
    "axes of one": (lambda: ww.distance(X[0], X[1], axes="abc"), ValueError, "axes is 'abc'"),
    "a band's number": (lambda: ww.distance(X[0], X[1], band=0.1), TypeError, "sakoe-chiba:10%"),
    "three bands": (lambda: ww.distance(X[0], X[1], band=([0] * 20, [20] * 20, [1])), TypeError, "two arrays"),
    "an unknown keyword": (lambda: ww.soft(X, out={}), TypeError, "out: no parameter"),
    "half a series": (lambda: ww.pairs(X, X, indices=([0.5], [1])), TypeError, "whole numbers"),
    "a mask of members": (lambda: ww.average(X, members=[True] * 6), TypeError, "whole numbers"),
    "pairs of three": (lambda: ww.pairs(X, X, indices=np.zeros((3, 2), int)), ValueError, "two lists"),
    "no pairs": (lambda: ww.pairs(X, X, indices=None), ValueError, "two lists"),
    "paths of no pairs": (lambda: ww.paths(X, X, indices=None), ValueError, "two lists"),
    "one measure": (lambda: ww.choose(LABELLED(), "dtw"), TypeError, "a list"),
    "k of clusters": (lambda: ww.kmeans(X, -1), ValueError, "k is -1"),
    "k of medoids": (lambda: ww.medoids(ww.pdist(X), -1), ValueError, "k is -1"),
    "k of a selection": (lambda: ww.topk(X, -1), ValueError, "k is -1"),
    "k of a search": (lambda: ww.search(X[:1], STREAM[None], k=-1), ValueError, "k is -1"),
    "k of a profile": (lambda: ww.profile(STREAM, 9, k=-1), ValueError, "k is -1"),
    "a window": (lambda: ww.profile(STREAM, -9), ValueError, "window is -9"),
    "a profile's index": (lambda: ww.profile(X, 9, index=-1), ValueError, "index is -1"),
    "a large window": (lambda: ww.profile(STREAM, 1 << 70), ValueError, "out of range"),
    "motifs": (lambda: ww.profile(STREAM, 9).motifs(-1), ValueError, "count is -1"),
    "discords": (lambda: ww.profile(STREAM, 9).discords(-1), ValueError, "count is -1"),
    "series made": (lambda: ww.generate("cbf", -1), ValueError, "count is -1"),
    "a source's length": (lambda: ww.Source(lambda first, count: None, -1), ValueError, "length is -1"),
    "tables": (lambda: ww.LSH(POINTS, tables=-1), ValueError, "tables is -1"),
    "an option of tables": (lambda: ww.LSH(POINTS).set_options(bad=1), TypeError, "'bad'"),
    "a radius": (lambda: ww.knn(POINTS, radius=float("nan")), ValueError, "NaN"),
    "ids of votes": (lambda: ww.knn_vote([0, 1], ["a", "b"]), ValueError, "(queries, k)"),
    "ids of means": (lambda: ww.knn_mean([0, 1], [1.0, 2.0]), ValueError, "(queries, k)"),
    "few labels": (lambda: ww.SeriesSet(X, ["a"]), ValueError, "1 labels for 6 series"),
    "many labels": (lambda: ww.SeriesSet(X, ["a"] * 9), ValueError, "9 labels for 6 series"),
    "equal labels in C": (lambda: ww.Dataset(X, ["a\0b", "a"] * 3), ValueError, "not as texts"),
    "times of no series": (lambda: ww.SeriesSet(X).times(9), IndexError, "no series 9; there are 6"),
    "labels of texts": (lambda: ww.SeriesSet.of_texts(["ab", "c"], ["x"]), ValueError, "1 labels for 2 texts"),
    "a rectangle": (lambda: ww.Plan("dtw", X).rectangle(-1, 1, 0, 1), ValueError, "row is -1"),
    "queries of a part": (lambda: ww.NearestPlan("dtw", ww.Dataset(X)).run(-1, 1), ValueError, "row is -1"),
    "a cube": (lambda: ww.write_array("cube.npy", np.zeros((2, 2, 2))), ValueError, "(2, 2, 2)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, kind, words = REFUSED[name]
    with pytest.raises(kind) as told:
        call()
    assert words in str(told.value)


def test_byte_order():
    assert ww.cdist(X.astype(">f4")).dtype == np.float32
    assert (ww.cdist(X.astype(">f4")) == ww.cdist(X.astype("f4"))).all()
    assert (ww.cdist(X.astype(">f8")) == ww.cdist(X)).all()
    assert ww.knn(POINTS.astype(">f4"))[0].dtype == np.float32


def test_a_list_is_a_stream():
    ours = ww.search(X[:1], ww.Source(list(STREAM)), znormalise=True)
    assert (ours == ww.search(X[:1], STREAM[None], znormalise=True)).all()


def test_series_from_the_end():
    series = ww.SeriesSet(X)
    series.set_times(-1, np.arange(20))
    assert (series.times(5) == np.arange(20)).all() and series.times(np.int64(0)) is not None
    assert (series[-1] == X[5]).all()
    assert len(series[1:-1]) == 4 and (np.stack(series[4:])[:, 0] == X[4:]).all() and series[9:] == []
    assert (ww.cdist(series[:2], series) == ww.cdist(X[:2], X)).all()


class Column:
    """As a column of pandas: with an index, by which it is asked."""

    def __init__(self, values):
        self.values = np.array(values, object)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, name):
        return self.values[len(self) - 1 - name]

    def to_numpy(self):
        return self.values


def test_labels_by_place():
    wanted = ["a", "b", None, "b", None, "a"]
    columns = [Column(["a", "b", None, "b", np.nan, "a"])]
    try:
        import pandas

        odd = pandas.Series(["a", "b", None, "b", pandas.NA, "a"], index=[5, 4, 3, 2, 1, 0])
        columns += [odd, odd.astype("string"), odd.astype("category"), odd.to_numpy()]
    except ModuleNotFoundError:
        pass
    for labels in columns:
        assert ww.SeriesSet(X, labels).labels == wanted
        assert ww.SeriesSet.of_texts("abcdef", labels).labels == wanted
        assert ww.Dataset(X, labels).codes.tolist() == [0, 1, -1, 1, -1, 0]
