# SPDX-License-Identifier: Apache-2.0
import inspect
import pickle

import numpy as np
import pytest
from conftest import matrix

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.cluster import DBSCAN
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import wavewarp as ww
import wavewarp.sklearn as wws

ESTIMATORS = [
    wws.KNeighborsTimeSeriesClassifier(),
    wws.KNeighborsTimeSeriesRegressor(),
    wws.TimeSeriesKMeans(n_clusters=2, max_iter=3),
    wws.TimeSeriesKMedoids(n_clusters=2),
    wws.TimeSeriesKShape(n_clusters=2, max_iter=3),
    wws.TimeSeriesAgglomerative(),
    wws.TimeSeriesDBSCAN(),
    wws.ShapeletTransform(max_shapelets=1),
    wws.ShapeletTree(),
    wws.ElasticChoice(distances=["dtw,band=corner:0", "dtw"]),
]


# As of scikit-learn's own KMeans: the first centres are drawn by the number of the series, however often each is there.
FAILED = {"check_sample_weight_equivalence_on_dense_data": "the first centres are drawn among other series"}
# Their blobs are series of two points, which z-normalised are their sign alone.
SIGNS = {"check_clustering": "z-normalised series of two points"}
EXPECTED = {
    "expected_failed_checks": lambda made: (
        FAILED if isinstance(made, wws.TimeSeriesKMeans) else SIGNS if isinstance(made, wws.TimeSeriesKShape) else {}
    )
}


@parametrize_with_checks(
    ESTIMATORS, **(EXPECTED if set(EXPECTED) <= set(inspect.signature(parametrize_with_checks).parameters) else {})
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_neighbours(cbf):
    X, y = cbf
    made = wws.KNeighborsTimeSeriesClassifier(distance_params={"window": 0.1}, n_neighbors=3).fit(X[:14], y[:14])
    full = matrix(X[14:], X[:14], width=4)
    distances, indices = made.kneighbors(X[14:])
    np.testing.assert_array_equal(indices, full.argsort(axis=1)[:, :3])
    shares = np.array([[(y[:14][row] == c).mean() for c in made.classes_] for row in indices])
    np.testing.assert_allclose(made.predict_proba(X[14:]), shares)
    sure = shares.max(axis=1) > 0.5
    assert (made.predict(X[14:])[sure] == made.classes_[shares.argmax(axis=1)][sure]).all()
    copy = pickle.loads(pickle.dumps(made))
    assert (copy.predict(X[14:]) == made.predict(X[14:])).all()
    values = wws.KNeighborsTimeSeriesRegressor(distance_params={"window": 0.1}).fit(X[:14], np.arange(14.0))
    np.testing.assert_array_equal(values.predict(X[14:]), full.argmin(axis=1))
    ragged = [X[0], X[1][:30], X[2][:35]]
    made = wws.KNeighborsTimeSeriesClassifier().fit(ragged, y[:3])
    assert (made.predict(ragged) == y[:3]).all()
    for held in ww.SeriesSet(X, y), ww.SeriesSet(ragged, y[:3]):
        told = wws.KNeighborsTimeSeriesClassifier().fit(held, held.labels)
        assert told.predict(held).tolist() == held.labels
        arrays = wws.KNeighborsTimeSeriesClassifier().fit(list(held), held.labels)
        np.testing.assert_array_equal(told.kneighbors(), arrays.kneighbors())
    many = np.stack([X, X[::-1]], axis=1)
    made = wws.KNeighborsTimeSeriesClassifier().fit(many, y)
    assert made.score(many, y) == 1
    with pytest.raises(ValueError, match="channels"):
        made.predict(X)
    # (series, time, 1) is read as files of it are, with a notice.
    with pytest.raises(ValueError, match="1 channels"), pytest.warns(UserWarning, match="ntc"):
        made.predict(X[:, :, None])


ESTIMATORS = {
    "nearest": lambda: wws.KNeighborsTimeSeriesClassifier(),
    "choice": lambda: wws.ElasticChoice(["dtw", "msm"]),
    "shapelets": lambda: wws.ShapeletTransform(max_shapelets=3, min_shapelet_length=5, max_shapelet_length=6),
    "tree": lambda: wws.ShapeletTree(5, 6),
    "means": lambda: wws.TimeSeriesKMeans(2, max_iter=2),
    "medoids": lambda: wws.TimeSeriesKMedoids(2),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_lengths_of_lists_are_free(cbf, name):
    X, y = cbf
    ragged = [x[: 20 + i % 3] for i, x in enumerate(X)]
    made = ESTIMATORS[name]().fit(ragged, y)
    work = made.transform if name == "shapelets" else made.predict
    every = work(ragged)
    for i in (0, 1):
        assert (work(ragged[i : i + 1]) == every[i : i + 1]).all()
        assert (work(ragged[i::3]) == every[i::3]).all()  # a batch of one length
        assert (work(np.array(ragged[i : i + 1])) == every[i : i + 1]).all()
    alike = ESTIMATORS[name]().fit(list(X), y)  # a list whose lengths happen to be equal
    assert len((alike.transform if name == "shapelets" else alike.predict)([X[0][:15]])) == 1
    for wrong in (X[1] * np.nan, X[1][:0]):
        with pytest.raises(ValueError, match="series 1"):
            ESTIMATORS[name]().fit([ragged[0], wrong, *ragged[2:]], y)


def test_one_out():
    rng = np.random.default_rng(1)
    ragged = [rng.normal(size=10 + i % 4) + 5 * (i % 2) for i in range(8)]
    made = wws.KNeighborsTimeSeriesClassifier()
    assert cross_val_score(made, ragged, np.arange(8) % 2, cv=LeaveOneOut()).mean() == 1


def test_as_many_shapelets_as_there_are(cbf):
    X, y = cbf
    many = wws.ShapeletTransform(max_shapelets=10**6, min_shapelet_length=20, max_shapelet_length=21).fit(X, y)
    found = many.transform(X)
    assert 0 < found.shape[1] < 10**6 and len(many.get_feature_names_out()) == found.shape[1]
    few = wws.ShapeletTransform(max_shapelets=2, min_shapelet_length=20, max_shapelet_length=21).fit(X, y)
    np.testing.assert_array_equal(few.transform(X), found[:, :2])
    grid = GridSearchCV(make_pipeline(few, DecisionTreeClassifier()), {"shapelettransform__max_shapelets": [2, 9999]}, cv=2)
    assert np.isfinite(grid.fit(X, y).cv_results_["mean_test_score"]).all()


def test_tables():
    pandas = pytest.importorskip("pandas")
    values, y = np.random.default_rng(2).normal(size=(6, 20)), np.arange(6) % 2
    made = wws.KNeighborsTimeSeriesClassifier().fit(values, y)
    named = pandas.DataFrame(values, columns=[f"sensor {i}" for i in range(20)])
    assert (wws.KNeighborsTimeSeriesClassifier().fit(named, y).predict(named) == made.predict(values)).all()
    hours = pandas.DataFrame(values, index=pandas.date_range("2024", periods=6, freq="h"))
    with pytest.raises(ValueError, match="times"):
        made.fit(hours, y)
    with pytest.raises(TypeError, match="'101'"):
        made.fit(pandas.DataFrame(values).astype(object).replace(values[0, 0], "101"), y)
    panel = pandas.MultiIndex.from_product([range(6), range(20)])
    assert (made.fit(pandas.DataFrame({"x": values.ravel()}, panel), y).predict(values) == made.predict(values)).all()


def test_search_and_pipelines(cbf):
    X, y = cbf
    grid = GridSearchCV(
        wws.KNeighborsTimeSeriesClassifier(), {"distance_params": [{"window": 0.0}, {"window": 0.1}]}, cv=2
    ).fit(X, y)
    assert grid.best_score_ > 0.5
    parallel = GridSearchCV(grid.estimator, grid.param_grid, cv=2, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(parallel.cv_results_["mean_test_score"], grid.cv_results_["mean_test_score"])
    shapes = wws.ShapeletTransform(
        max_shapelets=2, min_shapelet_length=8, max_shapelet_length=10, n_shapelet_samples=200
    )
    line = make_pipeline(StandardScaler(), shapes, DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert line.score(X, y) > 0.7
    assert (pickle.loads(pickle.dumps(line)).predict(X) == line.predict(X)).all()
    assert list(line[1].get_feature_names_out()) == ["shapelettransform0", "shapelettransform1"]
    seeded = wws.ShapeletTree(8, 9, n_shapelet_samples=50, random_state=np.random.RandomState(3)).fit(X, y)
    assert set(seeded.predict(X)) <= set(y)
    chosen = wws.ElasticChoice(["dtw,band=corner:0", "dtw,band=corner:4"]).fit(X, y)
    assert chosen.score(X, y) == 1 and len(chosen.accuracies_) == 2


def test_clusters(cbf):
    X, _ = cbf
    full = matrix(X, X, width=4)
    options = {"distance_params": {"window": 0.1}}
    eps = np.quantile(full, 0.3)
    want = DBSCAN(eps=eps, min_samples=3, metric="precomputed").fit_predict(full)
    np.testing.assert_array_equal(wws.TimeSeriesDBSCAN(eps, 3, **options).fit_predict(X), want)
    made = wws.TimeSeriesKMedoids(3, **options).fit(X)
    assert (made.predict(X) == made.labels_).all()
    made = wws.TimeSeriesKMeans(3, max_iter=3, random_state=1, **options).fit(X)
    assert (made.predict(X) == made.labels_).all()
    made = wws.TimeSeriesAgglomerative(distance_threshold=float(np.quantile(full, 0.4)), **options).fit(X)
    assert made.n_clusters_ == len(set(made.labels_)) > 1


def test_batches_of_other_shapes():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(6, 3, 12)), [0, 1] * 3
    for make in wws.KNeighborsTimeSeriesClassifier, wws.ShapeletTree, wws.KNeighborsTimeSeriesRegressor:
        made = make().fit(X, y)
        for length in 1, 2, 3, 5, 40:
            batch = rng.normal(size=(2, 3, length))  # the channels of fit() say which axis has them
            told = make().fit(X, y).predict([x for x in batch])
            np.testing.assert_array_equal(made.predict(batch), told)
            if length != 3:
                np.testing.assert_array_equal(made.predict(batch.swapaxes(1, 2)), told)
        long, square = np.repeat(X, 3, axis=2), rng.normal(size=(4, 3, 3))
        first = make().fit(long, y)
        with pytest.warns(UserWarning, match="ntc"):
            last = make().fit(long.swapaxes(1, 2), y)  # (series, time, channel)
        np.testing.assert_array_equal(last.predict(square), first.predict(square.swapaxes(1, 2)))
        with pytest.raises(ValueError, match="2 channels, but the estimator was fitted with 3"):
            made.predict(X[:, :2])
        with pytest.raises(ValueError, match="series of other lengths go in a list of arrays"):
            make().fit(X[:, 0], y).predict(X[:, 0, :9])


def test_soft_minima_are_no_distances():
    X = np.random.default_rng(6).normal(size=(6, 12))
    with pytest.raises(ValueError, match="is no distance"):
        wws.TimeSeriesDBSCAN(distance_params={"gamma": 1.0}).fit(X)
# ---- as kin of scikit-learn's have it


def euclid(x, y):
    return float(np.sqrt(((x - y) ** 2).sum()))


SQUARES = {"distance": "dtw,root,band=sakoe-chiba:0"}


def test_axes(cbf):
    X, y = cbf
    many = np.stack([X, X[::-1], X**2], axis=1)
    for kind in (wws.KNeighborsTimeSeriesClassifier, wws.ShapeletTree, lambda **o: wws.ElasticChoice(["dtw"], **o)):
        made = kind(axes="ntc").fit(many.swapaxes(1, 2), y)
        assert (made.predict(many.swapaxes(1, 2)) == kind().fit(many, y).predict(many)).all()
        assert (kind(axes="ntc").fit(X[:, :, None], y).predict(X[:, :, None]) == kind().fit(X, y).predict(X)).all()
    turned = wws.KNeighborsTimeSeriesClassifier(axes="tn").fit(X.T, y)
    np.testing.assert_array_equal(turned.kneighbors(X.T)[0], wws.KNeighborsTimeSeriesClassifier().fit(X, y).kneighbors(X)[0])
    made = wws.TimeSeriesKMeans(2, axes="ntc", init=many[:2].swapaxes(1, 2)).fit(many.swapaxes(1, 2))
    assert made.cluster_centers_[0].shape == (3, 40)


class Bar:
    def __init__(self, total):
        self.total, self.n = total, 0

    def update(self, count):
        self.n += count

    def close(self):
        assert self.n == self.total


def test_threads_and_bars(cbf, monkeypatch):
    X, y = cbf
    want = wws.KNeighborsTimeSeriesClassifier().fit(X, y).kneighbors()
    for n_jobs in (1, 2, -1, -2, 99):
        np.testing.assert_array_equal(wws.KNeighborsTimeSeriesClassifier(n_jobs=n_jobs).fit(X, y).kneighbors(), want)
    with pytest.raises(ValueError, match="n_jobs"):
        wws.KNeighborsTimeSeriesClassifier(n_jobs=0).fit(X, y).kneighbors()
    tqdm = pytest.importorskip("tqdm.auto")
    bars = []
    monkeypatch.setattr(tqdm, "tqdm", lambda **o: bars.append(o) or Bar(o["total"]))
    for made in (wws.TimeSeriesKMeans(2, verbose=1), wws.TimeSeriesKMedoids(2, verbose=1), wws.ShapeletTree(8, 9, verbose=1)):
        made.fit(X, y)
    wws.KNeighborsTimeSeriesClassifier(verbose=True).fit(X, y).predict(X)
    assert len(bars) >= 4


def test_transform_and_score(cbf):
    X, _ = cbf
    for kind in (wws.TimeSeriesKMeans(3, random_state=1), wws.TimeSeriesKMedoids(3)):
        made = kind.fit(X)
        centres = np.array(made.cluster_centers_)[:, 0]
        np.testing.assert_allclose(made.transform(X), matrix(X, centres), rtol=1e-9, atol=1e-9)
        assert (made.transform(X).argmin(axis=1) == made.predict(X)).all()
        np.testing.assert_allclose(made.score(X), -made.inertia_)
        assert len(made.get_feature_names_out()) == 3 == made.fit_transform(X).shape[1]
    assert make_pipeline(wws.TimeSeriesKMeans(3, random_state=1), DecisionTreeClassifier()).fit(X, cbf[1]).score(X, cbf[1]) > 0.5


def test_first_centres_and_weights(cbf):
    X, _ = cbf
    from sklearn.cluster import KMeans

    weights = np.random.default_rng(1).random(len(X))
    want = KMeans(3, init=X[:3], n_init=1, tol=0).fit(X, sample_weight=weights)
    made = wws.TimeSeriesKMeans(3, "dtw,band=sakoe-chiba:0", init=X[:3], tol=0.0).fit(X, sample_weight=weights)
    np.testing.assert_allclose(made.inertia_, want.inertia_)
    np.testing.assert_allclose(made.score(X), want.score(X))
    for wrong in (X[:2], "random", X[:3, None].repeat(2, axis=1)):
        with pytest.raises(ValueError):
            wws.TimeSeriesKMeans(3, init=wrong).fit(X)
    with pytest.raises(ValueError, match="weights"):
        wws.TimeSeriesKMeans(3).fit(X, sample_weight=weights[:3])


def test_texts():
    words, y = ["kitten", "sitting", "mitten", "abcdef", "abcdeg", "abxdef"], [0, 0, 0, 1, 1, 1]
    for X in (words, np.array(words), np.array(words, object)):
        made = wws.KNeighborsTimeSeriesClassifier("levenshtein").fit(X, y)
        assert made.predict(["bitten", "abcdxf"]).tolist() == [0, 1] and made.kneighbors(["kitten"])[0].tolist() == [[0]]
        assert len(set(wws.TimeSeriesKMedoids(2, "levenshtein").fit(X).labels_[:3])) == 1
        assert wws.TimeSeriesAgglomerative(2, distance="levenshtein").fit_predict(X).tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    assert cross_val_score(wws.KNeighborsTimeSeriesClassifier("levenshtein"), words, y, cv=LeaveOneOut()).mean() == 1


@pytest.mark.parametrize("channels", [1, 3])
def test_padding_with_nan(cbf, channels):
    X, y = cbf
    ragged = [np.stack([x[: 25 + i % 9]] * channels) for i, x in enumerate(X)]
    padded = np.full((len(X), channels, 40), np.nan)
    for row, x in zip(padded, ragged):
        row[:, : x.shape[1]] = x
    padded = padded[:, 0] if channels == 1 else padded
    with pytest.warns(ww.Notice, match="24 series end in NaN"):
        made = wws.KNeighborsTimeSeriesClassifier().fit(padded, y)
        np.testing.assert_array_equal(made.kneighbors(padded), made.kneighbors(ragged))
    if channels == 3:
        with pytest.warns(ww.Notice):
            turned = wws.KNeighborsTimeSeriesClassifier(axes="ntc").fit(padded.swapaxes(1, 2), y)
        np.testing.assert_array_equal(turned.kneighbors(), made.kneighbors())
    inside = padded.copy()
    inside[3, ..., 5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        made.fit(inside, y)
    inside[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        made.fit(inside, y)


def test_distances_of_ones_own(cbf):
    X, y = cbf
    train, test, square = X[:14], X[14:], np.array([[euclid(a, b) for b in X[:14]] for a in X])
    values = np.arange(14.0)
    for weights in ("uniform", "distance"):
        for kind, target in ((wws.KNeighborsTimeSeriesClassifier, y[:14]), (wws.KNeighborsTimeSeriesRegressor, values)):
            options = {"n_neighbors": 3, "weights": weights}
            want = kind(**SQUARES, **options).fit(train, target)
            function = kind(euclid, **options).fit(train, target)
            given = kind("precomputed", **options).fit(square[:14], target)
            for made, x in ((function, test), (given, square[14:])):
                if target is values:
                    np.testing.assert_allclose(made.predict(x), want.predict(test))
                else:
                    assert (made.predict(x) == want.predict(test)).all()
                    np.testing.assert_allclose(made.predict_proba(x), want.predict_proba(test))
                np.testing.assert_allclose(made.kneighbors(x)[0], want.kneighbors(test)[0])
            np.testing.assert_array_equal(function.kneighbors()[1], want.kneighbors()[1])
            np.testing.assert_array_equal(given.kneighbors()[1], want.kneighbors()[1])
    whole = np.array([[euclid(a, b) for b in X] for a in X])
    for kind in (
        lambda **o: wws.TimeSeriesKMedoids(3, **o),
        lambda **o: wws.TimeSeriesAgglomerative(3, **o),
        lambda **o: wws.TimeSeriesDBSCAN(5.0, 2, **o),
    ):
        want = kind(**SQUARES).fit_predict(X)
        assert (kind(distance=euclid).fit_predict(X) == want).all()
        assert (kind(distance="precomputed").fit_predict(whole) == want).all()
    for distance, x in ((euclid, X), ("precomputed", whole)):
        made = wws.TimeSeriesKMedoids(3, distance).fit(x)
        assert (made.predict(x) == made.labels_).all()
        np.testing.assert_allclose(made.score(x), -made.inertia_)
    made = wws.KNeighborsTimeSeriesClassifier("precomputed")
    assert cross_val_score(made, whole, y, cv=3).mean() == cross_val_score(
        wws.KNeighborsTimeSeriesClassifier(**SQUARES), X, y, cv=3
    ).mean()
    for wrong in (lambda: made.fit(whole[:, :5], y), lambda: wws.TimeSeriesKMeans(2, "precomputed").fit(whole)):
        with pytest.raises(ValueError):
            wrong()
