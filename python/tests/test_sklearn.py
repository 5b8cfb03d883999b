# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest
from conftest import matrix

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.cluster import DBSCAN
from sklearn.model_selection import GridSearchCV
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
    with pytest.raises(ValueError, match="ntc"):
        made.predict(X[:, :, None])


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
