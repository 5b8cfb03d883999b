# SPDX-License-Identifier: Apache-2.0
"""Estimators for scikit-learn over Wavewarp's jobs: pipelines, GridSearchCV, cross-validation, pickle.

X is an array of shape (series, time) or (series, channel, time), a list of series of unequal length, or a SeriesSet
(its `labels` are y). Parameters have aeon's names: `distance` is a measure's name or its words
("dtw,band=sakoe-chiba:10%"), `distance_params` a dict of what wavewarp.Measure takes ({"band": "sakoe-chiba:5",
"gamma": 0.1}; `window`, a share of the length, is aeon's band). `distance` is also "precomputed", with X a matrix of
distances, or a function of two arrays, but for k-means. `precision` is "float" or "double"; None: that of X. `axes` says
the order of X, as of wavewarp.Dataset. `n_jobs` is the number of a CPU's threads; None and -1: all. `verbose` above 0 shows
a bar. X may be padded with NaN at the ends of shorter series, or be a list of texts.

fit() checks the parameters of an estimator. Errors are ValueErrors, scikit-learn's or wavewarp's own, and NotFittedError before
fit().
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._core import needs

needs("sklearn", "'wavewarp[sklearn]'")
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _learn
from ._distance import kneighbors
from ._estimator import Elastic, series_of, targets_of, votes_of, weights_of
from ._measure import Measure
from ._shape_estimators import ShapeletTransform, ShapeletTree
from ._cluster_estimators import TimeSeriesAgglomerative, TimeSeriesDBSCAN, TimeSeriesKMeans, TimeSeriesKMedoids, TimeSeriesKShape

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
        """The nearest training series.

        Parameters
        ----------
        X : series, optional
            The queries; None: each training series among the others.
        n_neighbors : int, optional
            k; None: that of the estimator.
        return_distance : bool
            False: indices alone.

        Returns
        -------
        (numpy.ndarray, numpy.ndarray)
            (distances, indices), of shape (series, n_neighbors).

        Raises
        ------
        NotFittedError
            Before fit().
        ValueError
            X as for predict(); n_neighbors below 1; X None and one training series.
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
            raise ValueError(f"n_neighbors is {k}, and there are {values.shape[1] - (X is None)} training series")
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
        One vote each, or 1/distance.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> made = wws.KNeighborsTimeSeriesClassifier("msm", {"c": 0.5}).fit(X, y)
    >>> made.predict([[1, 1, 2, 3]]).tolist(), made.predict_proba([[1, 1, 2, 3]]).tolist()
    (['up'], [[0.0, 1.0]])
    >>> made.kneighbors([[1, 1, 2, 3]], 2, return_distance=False).tolist()
    [[0, 1]]
    """

    def fit(self, X: Any, y: Any) -> KNeighborsTimeSeriesClassifier:
        """Keeps the training series.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : array_like
            Labels, one a series.

        Returns
        -------
        KNeighborsTimeSeriesClassifier
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity; another number of labels, or labels that are values of a scale;
            the measure's words; weights.
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

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.

        Returns
        -------
        numpy.ndarray

        Raises
        ------
        NotFittedError
            Before fit().
        ValueError
            X that is no series, has NaN or infinity; other channels, or in a table another length.
        """
        check_is_fitted(self)
        return self.classes_[self._votes(X)[0]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of the votes of each class.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.

        Returns
        -------
        numpy.ndarray
            Of shape (series, classes), in the order of classes_.

        Raises
        ------
        NotFittedError
            Before fit().
        ValueError
            X that is no series, has NaN or infinity; other channels, or in a table another length.
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
        One vote each, or 1/distance.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Examples
    --------
    >>> made = wws.KNeighborsTimeSeriesRegressor(n_neighbors=2).fit([[0, 1, 2], [0, 1, 3], [9, 8, 7]], [1.0, 2.0, 7.0])
    >>> made.predict([[0, 1, 2]]).tolist()
    [1.5]
    """

    def fit(self, X: Any, y: Any) -> KNeighborsTimeSeriesRegressor:
        """Keeps the training series.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : array_like
            Values, one a series.

        Returns
        -------
        KNeighborsTimeSeriesRegressor
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity; values that are not finite, or another number of them; the
            measure's words; weights.
        """
        self._fit(X, y)
        self._y = np.asarray(self._y, np.float64)
        if not np.isfinite(self._y).all():
            raise ValueError("Input y contains NaN or infinity")
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The value of each series.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.

        Returns
        -------
        numpy.ndarray

        Raises
        ------
        NotFittedError
            Before fit().
        ValueError
            X that is no series, has NaN or infinity; other channels, or in a table another length.
        """
        check_is_fitted(self)
        if self._is_given():
            values, indices = self._of_given(X, min(self.n_neighbors, len(self._y)))
            weights = weights_of(values, self.weights)
            return (weights * self._y[indices]).sum(axis=1) / weights.sum(axis=1)
        return self._run(X, targets=self._y).predicted


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

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> made = wws.ElasticChoice(["dtw", "msm"]).fit(X, y)
    >>> made.best_, made.predict(X[:1]).tolist(), made.predict_proba(X[:1]).tolist()
    (Measure('dtw'), ['up'], [[0.0, 1.0]])
    """

    def __init__(self, distances=None, n_neighbors=1, precision=None, axes=None, n_jobs=None, verbose=0) -> None:
        self.distances = distances
        self.n_neighbors = n_neighbors
        self.precision = precision
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> ElasticChoice:
        """Chooses the measure by leave-one-out on the training series.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : array_like
            Labels, one a series.

        Returns
        -------
        ElasticChoice
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity; no labels; a measure's words.
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

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.

        Returns
        -------
        numpy.ndarray

        Raises
        ------
        NotFittedError
            Before fit().
        ValueError
            X that is no series, has NaN or infinity; other channels, or in a table another length.
        """
        check_is_fitted(self)
        return self._nearest.predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of the votes of each class.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.

        Returns
        -------
        numpy.ndarray
            Of shape (series, classes), in the order of classes_.

        Raises
        ------
        NotFittedError
            Before fit().
        ValueError
            X that is no series, has NaN or infinity; other channels, or in a table another length.
        """
        check_is_fitted(self)
        return self._nearest.predict_proba(X)
