# SPDX-License-Identifier: Apache-2.0
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
    wws.TimeSeriesAgglomerative(),
    wws.TimeSeriesDBSCAN(),
    wws.ShapeletTransform(max_shapelets=1),
    wws.ShapeletTree(),
    wws.ElasticChoice(distances=["dtw,band=corner:0", "dtw"]),
]


@parametrize_with_checks(ESTIMATORS)
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
