# SPDX-License-Identifier: Apache-2.0
"""docs/python.md, "Words of the field": each row of the table is shown here."""

import pathlib
import re
import warnings

import numpy as np
import pytest

import wavewarp as ww

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
X = np.array([[0.0, 1, 2, 3], [0.0, 2, 2, 3], [4.0, 1, 0, 2]])


def told(kind, call):
    with pytest.raises(kind) as found:
        call()
    return str(found.value)


def windows():
    assert 'slanted:0.1' in told((TypeError, ValueError), lambda: ww.distance(X[0], X[1], window=0.1))
    assert 'sakoe-chiba:5' in told((TypeError, ValueError), lambda: ww.distance(X[0], X[1], sakoe_chiba_radius=5))
    ww.distance(X[0], X[1], band="slanted:0.5"), ww.distance(X[0], X[1], band="sakoe-chiba:1")


def roots():
    assert ww.distance(X[0], X[1], root=True) == np.sqrt(ww.distance(X[0], X[1]))
    assert "without a root" in repr(ww.kneighbors(X)) and "with the root" in repr(ww.kneighbors(X, root=True))
    assert "root" in ww.cdist.__doc__.split("\n\n")[0]


def metrics():
    for theirs, ours in (("euclidean", "l2"), ("cityblock", "l1")):
        np.testing.assert_array_equal(ww.knn(X, metric=theirs)[0], ww.knn(X, metric=ours)[0])


def order():
    assert "queries, base=base" in told(TypeError, lambda: ww.knn(X, X[:1]))
    assert ww.knn(X[:1], base=X, k=1)[1].tolist() == ww.knn_shard(X[:1], base=X, k=1)[1].tolist() == [[0]]


def padding():
    made = pytest.importorskip("wavewarp.sklearn", reason="scikit-learn is not installed")
    padded = np.where(np.arange(4) < 3, X, np.nan)
    with pytest.warns(ww.Notice):
        fitted = made.KNeighborsTimeSeriesClassifier().fit(padded, [0, 1, 2])
    assert fitted.predict([X[0, :3]]).tolist() == [0]
    told(ValueError, lambda: ww.cdist(padded))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ww.cdist([x[:3] for x in X])


def jobs():
    assert "threads" in told((TypeError, ValueError), lambda: ww.cdist(X, n_jobs=2))
    pytest.importorskip("wavewarp.sklearn", reason="scikit-learn is not installed").TimeSeriesKMeans(2, n_jobs=1)


def names():
    assert ww.Measure("twed", lmbda=0.5).text == ww.Measure("twed,lambda=0.5").text
    assert ww.average(X).center is not None and len(ww.kmeans(X, 2).centers) == 2


ROWS = {
    "`window=0.1`": windows,
    "distances with a root": roots,
    '`metric="euclidean"`': metrics,
    "`knn(base, queries)`": order,
    "padding with NaN": padding,
    "`n_jobs`": jobs,
    "`lmbda` of TWED": names,
}


@pytest.mark.skipif(not PAGE.exists(), reason="no page beside these tests")
def test_every_row_is_shown():
    section = PAGE.read_text(encoding="utf-8").split("## Words of the field")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (?!convention|---)(.*?) \|", section, re.MULTILINE)
    assert len(rows) == len(ROWS) and all(row.startswith(name) for row, name in zip(rows, ROWS))


@pytest.mark.parametrize("row", ROWS)
def test_row(row):
    ROWS[row]()
