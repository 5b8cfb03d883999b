# SPDX-License-Identifier: Apache-2.0
"""Estimators of clusters, which wavewarp.sklearn has."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.cluster import DBSCAN
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _clusters, _learn, _shape
from ._distance import fold, kneighbors, need_distance
from ._estimator import Elastic, series_of
from ._medoids import medoids


class _Clusters(ClusterMixin, Elastic):
    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Clusters the series.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : ignored

        Returns
        -------
        numpy.ndarray
            The cluster of each series.

        Raises
        ------
        ValueError
            As fit().
        """
        return self.fit(X, y).labels_


class _Centres(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Clusters):
    """Clusters that have centres: series, or of distances that are the caller's training series."""

    def _to_centres(self, X):
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        precomputed = self.distance == "precomputed"
        return self._between(X, self.medoid_indices_ if precomputed else self.cluster_centers_)

    def _first(self):
        """The first centres that `init` has; None: they are drawn."""
        if not isinstance(self.init, str):
            return [np.atleast_2d(x) for x in series_of(self, self.init, reset=False)]
        if self.init != "k-means++":
            raise ValueError(f"init is {self.init!r}, neither 'k-means++' nor {self.n_clusters} series")
        return None

    def _search(self, job, X, **more):
        """fit() by kmeans() or kshape(); `more`: arguments by functions, called after X is checked."""
        X = series_of(self, X, reset=True)
        seed, first = int(check_random_state(self.random_state).randint(1, 2**31 - 1)), self._first()
        told = job(
            self._sets(X)[0],
            self.n_clusters,
            **{name: value() for name, value in more.items()},
            first=first,
            axes="ct",
            progress=self._progress(),
            seed=seed,
            starts=self.n_init if first is None else 1,
            iterations=self.max_iter,
            tolerance=self.tol,
        )
        self.labels_, self.inertia_, self.n_iter_ = told.labels, told.objective, told.iterations
        self.cluster_centers_ = told.centres
        return self

    @property
    def _n_features_out(self):
        return self.n_clusters

    def transform(self, X: Any) -> np.ndarray:
        """The distances of each series to the centres.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.

        Returns
        -------
        numpy.ndarray
            Of shape (series, n_clusters).

        Raises
        ------
        NotFittedError
            Before fit().
        ValueError
            X that is no series, has NaN or infinity; other channels, or in a table another length.
        """
        return self._to_centres(X)

    def predict(self, X: Any) -> np.ndarray:
        """The cluster whose centre is the nearest.

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
        if self._is_given():
            return self._to_centres(X).argmin(axis=1)
        check_is_fitted(self)
        queries, centres = self._sets(series_of(self, X, reset=False), self.cluster_centers_)
        return kneighbors(queries, centres, 1, self._measure(), progress=self._progress()).indices[:, 0]

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the sum of the distances of the series to their nearest centres: the larger, the better.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : ignored

        Returns
        -------
        float

        Raises
        ------
        NotFittedError
            Before fit().
        ValueError
            X as for predict().
        """
        return -float(self._to_centres(X).min(axis=1).sum())


class TimeSeriesKMeans(_Centres):
    """k-means around DBA averages, or soft ones where distance_params has gamma.

    Parameters
    ----------
    n_clusters : int
        Clusters.
    n_init : int
        Number of searches, each from other first centres; the best one counts.
    max_iter, tol
        Iterations of a search at most; it ends earlier when one lowers the objective by less than this share.
    random_state : int, RandomState or None
        Draws the first centres.
    init : "k-means++" or n_clusters series
        The first centres.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Examples
    --------
    >>> X = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]]
    >>> made = wws.TimeSeriesKMeans(2, init=[X[0], X[2]]).fit(X)
    >>> made.labels_.tolist(), made.predict([[8, 8, 8, 8]]).tolist(), made.transform(X).shape
    ([0, 0, 1, 1], [1], (4, 2))
    >>> made.score(X) == -made.inertia_, wws.TimeSeriesKMeans(2, init=[X[0], X[2]]).fit_predict(X).tolist()
    (True, [0, 0, 1, 1])
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
        """Clusters the series: labels_, cluster_centers_, inertia_, n_iter_.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : ignored
        sample_weight : array_like, optional
            One a series.

        Returns
        -------
        TimeSeriesKMeans
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity; n_clusters below 1 or above the number of series; a measure that
            averages do not take, or distances of one's own; init; weights below 0 or of another number.
        """
        if self._is_given():
            raise ValueError("k-means averages series under a measure: TimeSeriesKMedoids takes distances of one's own")
        return self._search(_learn.kmeans, X, measure=self._measure, weights=lambda: sample_weight)


class TimeSeriesKShape(_Centres):
    """k-shape: clusters around shapes, by shape-based distance, of series of one length that are z-normalised first.

    Parameters
    ----------
    n_clusters : int
        Clusters.
    n_init : int
        Number of searches, each from other first centres; the best one counts.
    max_iter, tol
        Iterations of a search at most; it ends earlier when one lowers the objective by less than this share.
    random_state : int, RandomState or None
        Draws the first centres.
    init : "k-means++" or n_clusters series
        The first centres.
    precision, axes, n_jobs, verbose
        As the module says.

    Examples
    --------
    >>> X = [[0, 1, 3, 1, 0, 0], [0, 0, 0, 1, 3, 1], [5, 4, 1, 1, 4, 5], [4, 1, 1, 4, 5, 5]]
    >>> made = wws.TimeSeriesKShape(2, init=[X[0], X[2]]).fit(X)
    >>> made.labels_.tolist(), made.predict(X).tolist()
    ([0, 0, 1, 1], [0, 0, 1, 1])
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
        """The cluster whose centre is the nearest.

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
        return self._to_centres(X).argmin(axis=1)

    def fit(self, X: Any, y: Any = None) -> TimeSeriesKShape:
        """Clusters the series: labels_, cluster_centers_, inertia_, n_iter_.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : ignored

        Returns
        -------
        TimeSeriesKShape
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity, or other lengths; n_clusters below 1 or above the number of
            series; init.
        """
        return self._search(_shape.kshape, X)


class TimeSeriesKMedoids(_Centres):
    """k-medoids (FasterPAM) on all distances, also precomputed ones or a function's, or on those of samples (CLARA).

    Parameters
    ----------
    n_clusters : int
        Clusters.
    sample_size : int, "auto" or None
        Series of a sample. Five samples are tried, and the matrix of all distances is not made. "auto": 200 + 4 n_clusters.
        None: all distances.
    random_state : int, RandomState or None
        Draws the samples; None: 0.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Examples
    --------
    >>> X = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]]
    >>> wws.TimeSeriesKMedoids(2).fit(X).labels_.tolist()
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
        """Clusters the series: labels_, medoid_indices_, cluster_centers_, inertia_.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : ignored

        Returns
        -------
        TimeSeriesKMedoids
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity; n_clusters below 1 or above the number of series; the measure's
            words; sample_size below n_clusters + 1, or with distances of one's own.
        """
        X = self._checked(X, reset=True)
        told = medoids(self._within(X), self.n_clusters) if self.sample_size is None else self._of_samples(X)
        self.labels_, self.medoid_indices_, self.inertia_ = told.labels, told.medoids, told.cost
        self.cluster_centers_ = [np.atleast_2d(X[i]) for i in told.medoids] if self.distance != "precomputed" else None
        return self


class TimeSeriesAgglomerative(_Clusters):
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

    Examples
    --------
    >>> X = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]]
    >>> wws.TimeSeriesAgglomerative(2).fit(X).linkage_[:, 3].tolist()
    [2.0, 2.0, 4.0]
    >>> wws.TimeSeriesAgglomerative(2).fit_predict(X).tolist()
    [0, 0, 1, 1]
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
        """Merges the series: linkage_ in SciPy's form, labels_, n_clusters_.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : ignored

        Returns
        -------
        TimeSeriesAgglomerative
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity; fewer than two series; another linkage; n_clusters below 1 or
            above the number of series.
        """
        X = self._checked(X, reset=True)
        if len(X) < 2:
            raise ValueError(f"Found array with n_samples={len(X)} while a minimum of 2 is required")
        self.linkage_ = _clusters.linkage(self._within(X), self.linkage)
        limit = np.inf if self.distance_threshold is None else self.distance_threshold
        clusters = self.n_clusters if self.distance_threshold is None else 1
        self.labels_ = _clusters.cut(self.linkage_, clusters, limit)
        self.n_clusters_ = len(np.unique(self.labels_))
        return self


class TimeSeriesDBSCAN(_Clusters):
    """scikit-learn's DBSCAN on elastic distances. labels_ has -1 for noise.

    Parameters
    ----------
    eps, min_samples
        As of sklearn.cluster.DBSCAN.
    distance, distance_params, precision, axes, n_jobs, verbose
        As the module says.

    Examples
    --------
    >>> X = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]]
    >>> wws.TimeSeriesDBSCAN(eps=3, min_samples=2).fit(X).labels_.tolist()
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
        """Clusters the series: labels_ (-1: noise), core_sample_indices_.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : ignored

        Returns
        -------
        TimeSeriesDBSCAN
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity; eps or min_samples that scikit-learn refuses; the measure's words.
        """
        X = self._checked(X, reset=True)
        made = DBSCAN(eps=self.eps, min_samples=self.min_samples, metric="precomputed")
        if not self._is_given():
            measure = need_distance(self._measure(), max(x.shape[-1] for x in X))
            if measure.gamma > 0:
                raise ValueError(
                    f"{measure.name} with gamma={measure.gamma:g} is no distance: it is below 0 for series that are "
                    "alike, so eps is no limit for it. Take gamma=0"
                )
        matrix = self._between(X, None)
        fold(matrix)  # refuses distances that differ by the way
        made.fit(np.maximum(matrix, 0))
        self.labels_, self.core_sample_indices_ = made.labels_, made.core_sample_indices_
        return self
