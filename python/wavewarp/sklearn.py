# SPDX-License-Identifier: Apache-2.0
"""Estimators for scikit-learn over Wavewarp's jobs: pipelines, GridSearchCV, cross-validation, pickle.

X is an array of shape (series, time) or (series, channel, time), a list of series of unequal length, or a SeriesSet
(its `labels` are y). Parameters have aeon's names: `distance` is a measure's name or its words
("dtw,band=sakoe-chiba:10%"), `distance_params` a dict of what wavewarp.Measure takes ({"band": "sakoe-chiba:5",
"gamma": 0.1}; `window`, a share of the length, is aeon's band). `distance` is also "precomputed", with X a matrix of
distances, or a function of two arrays, but for k-means. `precision` is "float" or "double"; None: that of X. `axes` says
the order of X, as of wavewarp.Dataset. `n_jobs` is the number of a CPU's threads; None and -1: all. `verbose` above 0 shows
a bar. X may be padded with NaN at the ends of shorter series, or be a list of texts.

Errors are scikit-learn's where it checks (ValueError, NotFittedError), and wavewarp's own else, ValueErrors too.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._core import needs

needs("sklearn", "'wavewarp[sklearn]'")
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.cluster import DBSCAN
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _learn, _shape
from ._distance import fold, kneighbors, need_distance
from ._estimator import Centred, Clustering, Elastic, series_of, targets_of, votes_of, weights_of
from ._measure import Measure
from ._medoids import medoids
from ._shape_estimators import ShapeletTransform, ShapeletTree

__all__ = [
    "ElasticChoice",
    "KNeighborsTimeSeriesClassifier",
    "KNeighborsTimeSeriesRegressor",
    "ShapeletTransform",
    "ShapeletTree",
    "TimeSeriesAgglomerative",
    "TimeSeriesDBSCAN",
    "TimeSeriesKMeans",
    "TimeSeriesKMedoids",
    "TimeSeriesKShape",
]


class _Neighbors(Elastic):
    def __init__(
        self,
        distance="dtw",
        distance_params=None,
        n_neighbors=1,
        weights="uniform",
        precision=None,
        axes=None,
        n_jobs=None,
        verbose=0,
    ) -> None:
        self.distance = distance
        self.distance_params = distance_params
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.precision = precision
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit(self, X, y):
        X = self._checked(X, reset=True)
        if self.weights not in ("uniform", "distance"):
            raise ValueError(f"weights is {self.weights!r}, not 'uniform' or 'distance'")
        self._X, self._y = X, targets_of(y, len(X))
        if not self._is_given():
            self._measure()
        return self

    def kneighbors(self, X: Any = None, n_neighbors: Optional[int] = None, return_distance: bool = True) -> Any:
        """(distances, indices) of the nearest training series, of shape (series, n_neighbors).

        X None: of each among the others. return_distance False: indices alone.

        Raises NotFittedError (before fit()), ValueError (X as for predict(); n_neighbors below 1; X None and one
        training series).
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if self._is_given():
            values, indices = self._of_given(X, k)
        elif X is None:
            values, indices = kneighbors(self._sets(self._X)[0], None, k, self._measure(), progress=self._progress())
        else:
            queries, base = self._sets(series_of(self, X, reset=False), self._X)
            values, indices = kneighbors(queries, base, k, self._measure(), progress=self._progress())
        return (values, indices) if return_distance else indices

    def _of_given(self, X, k):
        """The k nearest by distances of the caller's; X None: each training series among the others."""
        checked = self._X if X is None else self._checked(X, reset=False)
        values = self._between(checked, None if self.distance == "precomputed" else self._X)
        if X is None:
            values = values + np.where(np.eye(len(values)), np.inf, 0)
        if not 1 <= k <= values.shape[1] - (X is None):
            raise ValueError(f"n_neighbors is {k}, of {values.shape[1] - (X is None)} training series")
        indices = np.argsort(values, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(values, indices, axis=1), indices

    def _run(self, X, targets=None, y=None):
        check_is_fitted(self)
        X = series_of(self, X, reset=False)
        test, train = self._sets(X, self._X)
        if y is not None:
            train = self._data(self._X, y, test.precision)
        k, progress = min(self.n_neighbors, len(train)), self._progress()
        made = _learn.Classifier(
            train, self._measure(), k=k, vote=self.weights, targets=targets, progress=progress
        )
        return made.run(test)


class KNeighborsTimeSeriesClassifier(ClassifierMixin, _Neighbors):
    """The class with the largest vote among the k nearest training series; a tie goes to the nearest's class.

    Parameters
    ----------
    n_neighbors : int
        k.
    weights : "uniform" or "distance"
        Alike, or 1/distance each.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Raises
    ------
    Nothing itself: fit() refuses what a parameter can't be.

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> wws.KNeighborsTimeSeriesClassifier("msm", {"c": 0.5}).fit(X, y).predict([[1, 1, 2, 3]]).tolist()
    ['up']
    """

    def fit(self, X: Any, y: Any) -> KNeighborsTimeSeriesClassifier:
        """Keeps the training series X and their labels y.

        Raises ValueError (X that is no series, has NaN or infinity; another number of labels, or labels that are values
        of a scale; the measure's words; weights).
        """
        self._fit(X, y)
        check_classification_targets(self._y)
        self.classes_, self._codes = np.unique(self._y, return_inverse=True)
        return self

    def _votes(self, X):
        if self._is_given():
            values, indices = self._of_given(X, min(self.n_neighbors, len(self._y)))
            return votes_of(values, self._codes[indices], len(self.classes_), self.weights)
        told = self._run(X, y=self._codes)
        order = np.unique(self._codes, return_index=True)[1].argsort()  # classes by first appearance
        shares = np.empty_like(told.probabilities)
        shares[:, order] = told.probabilities
        return told.predicted, shares

    def predict(self, X: Any) -> np.ndarray:
        """The class of each series.

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        check_is_fitted(self)
        return self.classes_[self._votes(X)[0]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of the votes of each class, of shape (series, classes), in the order of classes_.

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        check_is_fitted(self)
        return self._votes(X)[1]


class KNeighborsTimeSeriesRegressor(RegressorMixin, _Neighbors):
    """The mean of the k nearest training series' targets, weighted by their votes.

    Parameters
    ----------
    n_neighbors : int
        k.
    weights : "uniform" or "distance"
        Alike, or 1/distance each.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Raises
    ------
    Nothing itself: fit() refuses what a parameter can't be.

    Examples
    --------
    >>> made = wws.KNeighborsTimeSeriesRegressor(n_neighbors=2).fit([[0, 1, 2], [0, 1, 3], [9, 8, 7]], [1.0, 2.0, 7.0])
    >>> made.predict([[0, 1, 2]]).tolist()
    [1.5]
    """

    def fit(self, X: Any, y: Any) -> KNeighborsTimeSeriesRegressor:
        """Keeps the training series X and their values y.

        Raises ValueError (X that is no series, has NaN or infinity; values that are not finite, or another number of
        them; the measure's words; weights).
        """
        self._fit(X, y)
        self._y = np.asarray(self._y, np.float64)
        if not np.isfinite(self._y).all():
            raise ValueError("Input y contains NaN or infinity")
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The value of each series.

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        check_is_fitted(self)
        if self._is_given():
            values, indices = self._of_given(X, min(self.n_neighbors, len(self._y)))
            weights = weights_of(values, self.weights)
            return (weights * self._y[indices]).sum(axis=1) / weights.sum(axis=1)
        return self._run(X, targets=self._y).predicted


class TimeSeriesKMeans(Centred):
    """k-means around DBA averages, or soft ones where distance_params has gamma.

    Parameters
    ----------
    n_clusters : int
        Clusters.
    n_init : int
        Searches from first centres of their own, of which the best counts.
    max_iter, tol
        Most iterations of a search, and the least share by which one lowers the objective.
    random_state : int, RandomState or None
        Draws the first centres.
    init : "k-means++" or n_clusters series
        The first centres.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Raises
    ------
    Nothing itself: fit() refuses what a parameter can't be.

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> wws.TimeSeriesKMeans(2, init=[X[0], X[2]]).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        n_clusters=8,
        distance="dtw",
        distance_params=None,
        n_init=1,
        max_iter=50,
        tol=1e-6,
        random_state=None,
        precision=None,
        init="k-means++",
        axes=None,
        n_jobs=None,
        verbose=0,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance = distance
        self.distance_params = distance_params
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.precision = precision
        self.init = init
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> TimeSeriesKMeans:
        """Clusters the series X: labels_, cluster_centers_, inertia_, n_iter_. sample_weight: one a series.

        Raises ValueError (X that is no series, has NaN or infinity; n_clusters below 1 or above the number of series; a
        measure that averages do not take, or distances of one's own; init; weights below 0 or of another number).
        """
        if self._is_given():
            raise ValueError("k-means averages series under a measure: TimeSeriesKMedoids takes distances of one's own")
        return self._search(_learn.kmeans, X, measure=self._measure, weights=lambda: sample_weight)


class TimeSeriesKShape(Centred):
    """k-shape: clusters around shapes, by shape-based distance, of series of one length that are z-normalised first.

    Parameters
    ----------
    n_clusters : int
        Clusters.
    n_init : int
        Searches from first centres of their own, of which the best counts.
    max_iter, tol
        Most iterations of a search, and the least share by which one lowers the objective.
    random_state : int, RandomState or None
        Draws the first centres.
    init : "k-means++" or n_clusters series
        The first centres.
    precision, axes, n_jobs, verbose
        As the module says.

    Raises
    ------
    Nothing itself: fit() refuses what a parameter can't be.

    Examples
    --------
    >>> X = [[0, 1, 3, 1, 0, 0], [0, 0, 0, 1, 3, 1], [5, 4, 1, 1, 4, 5], [4, 1, 1, 4, 5, 5]]
    >>> wws.TimeSeriesKShape(2, init=[X[0], X[2]]).fit(X).labels_.tolist()
    [0, 0, 1, 1]
    """

    distance, distance_params = "sbd", None  # of its own

    def __init__(
        self,
        n_clusters=8,
        n_init=1,
        max_iter=50,
        tol=1e-6,
        random_state=None,
        precision=None,
        init="k-means++",
        axes=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.precision = precision
        self.init = init
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _between(self, X, Y):
        return _shape.sbd(*self._sets(X, Y), progress=self._progress())

    def predict(self, X: Any) -> np.ndarray:
        """The number of each series' nearest centre.

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        return self._to_centres(X).argmin(axis=1)

    def fit(self, X: Any, y: Any = None) -> TimeSeriesKShape:
        """Clusters the series X: labels_, cluster_centers_, inertia_, n_iter_.

        Raises ValueError (X that is no series, has NaN or infinity, or other lengths; n_clusters below 1 or above the
        number of series; init).
        """
        return self._search(_shape.kshape, X)


class TimeSeriesKMedoids(Centred):
    """k-medoids (FasterPAM) on all distances, also precomputed ones or a function's, or on those of samples (CLARA).

    Parameters
    ----------
    n_clusters : int
        Clusters.
    sample_size : int, "auto" or None
        Series of a sample, of which five are tried: the matrix of all distances is not made. "auto": 200 and four a cluster.
        None: all distances.
    random_state : int, RandomState or None
        Of the samples; None: 0.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Raises
    ------
    Nothing itself: fit() refuses what a parameter can't be.

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> wws.TimeSeriesKMedoids(2).fit_predict(X).tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        n_clusters=8,
        distance="dtw",
        distance_params=None,
        precision=None,
        axes=None,
        n_jobs=None,
        verbose=0,
        sample_size=None,
        random_state=None,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance = distance
        self.distance_params = distance_params
        self.precision = precision
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.sample_size = sample_size
        self.random_state = random_state

    def _of_samples(self, X):
        """Medoids from samples of the series."""
        if self._is_given():
            raise ValueError("sample_size is for a measure; distances of one's own are made of all series")
        return medoids(
            k=self.n_clusters,
            series=self._sets(X)[0],
            measure=self._measure(),
            sample=0 if self.sample_size == "auto" else self.sample_size,
            seed=0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1)),
            progress=self._progress(),
        )

    def fit(self, X: Any, y: Any = None) -> TimeSeriesKMedoids:
        """Clusters the series X: labels_, medoid_indices_, cluster_centers_, inertia_.

        Raises ValueError (X that is no series, has NaN or infinity; n_clusters below 1 or above the number of series;
        the measure's words; sample_size below n_clusters + 1, or with distances of one's own).
        """
        X = self._checked(X, reset=True)
        told = medoids(self._within(X), self.n_clusters) if self.sample_size is None else self._of_samples(X)
        self.labels_, self.medoid_indices_, self.inertia_ = told.labels, told.medoids, told.cost
        self.cluster_centers_ = [np.atleast_2d(X[i]) for i in told.medoids] if self.distance != "precomputed" else None
        return self


class TimeSeriesAgglomerative(Clustering):
    """Hierarchical clusters; linkage_ has SciPy's form.

    Parameters
    ----------
    n_clusters : int
        Clusters, where there is no distance_threshold.
    distance_threshold : float, optional
        Merges up to this distance are made.
    linkage : "single", "complete", "average" or "ward"
        The distance of two clusters.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Raises
    ------
    Nothing itself: fit() refuses what a parameter can't be.

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> wws.TimeSeriesAgglomerative(2).fit(X).linkage_[:, 3].tolist()
    [2.0, 2.0, 4.0]
    """

    def __init__(
        self,
        n_clusters=2,
        distance_threshold=None,
        linkage="average",
        distance="dtw",
        distance_params=None,
        precision=None,
        axes=None,
        n_jobs=None,
        verbose=0,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance_threshold = distance_threshold
        self.linkage = linkage
        self.distance = distance
        self.distance_params = distance_params
        self.precision = precision
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> TimeSeriesAgglomerative:
        """Merges the series X: linkage_ in SciPy's form, labels_, n_clusters_.

        Raises ValueError (X that is no series, has NaN or infinity; fewer than two series; another linkage; n_clusters
        below 1 or above the number of series).
        """
        X = self._checked(X, reset=True)
        if len(X) < 2:
            raise ValueError(f"Found array with n_samples={len(X)} while a minimum of 2 is required")
        self.linkage_ = _learn.linkage(self._within(X), self.linkage)
        limit = np.inf if self.distance_threshold is None else self.distance_threshold
        clusters = self.n_clusters if self.distance_threshold is None else 1
        self.labels_ = _learn.cut(self.linkage_, clusters, limit)
        self.n_clusters_ = len(np.unique(self.labels_))
        return self


class TimeSeriesDBSCAN(Clustering):
    """scikit-learn's DBSCAN on elastic distances. labels_ has -1 for noise.

    Parameters
    ----------
    eps, min_samples
        As of sklearn.cluster.DBSCAN.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Raises
    ------
    Nothing itself: fit() refuses what a parameter can't be.

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> wws.TimeSeriesDBSCAN(eps=3, min_samples=2).fit_predict(X).tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        eps=0.5,
        min_samples=5,
        distance="dtw",
        distance_params=None,
        precision=None,
        axes=None,
        n_jobs=None,
        verbose=0,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.distance = distance
        self.distance_params = distance_params
        self.precision = precision
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> TimeSeriesDBSCAN:
        """Clusters the series X: labels_ (-1: noise), core_sample_indices_.

        Raises ValueError (X that is no series, has NaN or infinity; eps or min_samples that scikit-learn refuses; the
        measure's words).
        """
        X = self._checked(X, reset=True)
        made = DBSCAN(eps=self.eps, min_samples=self.min_samples, metric="precomputed")
        if not self._is_given():
            measure = need_distance(self._measure(), max(x.shape[-1] for x in X))
            if measure.gamma > 0:
                raise ValueError(
                    f"{measure.name} with gamma={measure.gamma:g} is no distance: it is below 0 for series that are "
                    "alike, and eps says nothing of it. Take gamma=0"
                )
        matrix = self._between(X, None)
        fold(matrix)  # refuses distances that differ by the way
        made.fit(np.maximum(matrix, 0))
        self.labels_, self.core_sample_indices_ = made.labels_, made.core_sample_indices_
        return self


class ElasticChoice(ClassifierMixin, Elastic):
    """A neighbour classifier whose measure is chosen by leave-one-out on the training series: best_.

    Parameters
    ----------
    distances : sequence of Measure or str, optional
        Those that are tried; None: DTW with bands of 0 to 20 % of the length.
    n_neighbors : int
        k.
    precision, axes, n_jobs, verbose
        As the module says.

    Raises
    ------
    Nothing itself: fit() refuses what a parameter can't be.

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> wws.ElasticChoice(["dtw", "msm"]).fit(X, y).best_
    Measure('dtw')
    """

    def __init__(self, distances=None, n_neighbors=1, precision=None, axes=None, n_jobs=None, verbose=0) -> None:
        self.distances = distances
        self.n_neighbors = n_neighbors
        self.precision = precision
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> ElasticChoice:
        """Chooses the measure by leave-one-out on the series X with labels y.

        Raises ValueError (X that is no series, has NaN or infinity; no labels; a measure's words).
        """
        given, X = X, series_of(self, X, reset=True)
        y = targets_of(y, len(X))
        check_classification_targets(y)
        tried = self.distances
        if tried is None:
            tried = [f"dtw,band=corner:{p}%" for p in range(21)]
        codes = np.unique(y, return_inverse=True)[1]
        k = max(1, min(self.n_neighbors, len(X) - 1))
        if len(X) > 1:
            told = _learn.choose(self._data(X, codes, self.precision), tried, k=k, progress=self._progress())
            self.best_, self.accuracies_ = told.best, told.accuracies
        else:
            self.best_, self.accuracies_ = Measure(tried[0]), np.zeros(len(tried))
        self._nearest = KNeighborsTimeSeriesClassifier(
            self.best_, None, k, precision=self.precision, axes=self.axes, n_jobs=self.n_jobs, verbose=self.verbose
        ).fit(given, y)
        self.classes_ = self._nearest.classes_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each series.

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        check_is_fitted(self)
        return self._nearest.predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of the votes of each class, of shape (series, classes), in the order of classes_.

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        check_is_fitted(self)
        return self._nearest.predict_proba(X)
