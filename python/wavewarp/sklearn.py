# SPDX-License-Identifier: Apache-2.0
"""Estimators for scikit-learn over Wavewarp's jobs: pipelines, GridSearchCV, cross-validation, pickle.

X is an array of shape (series, time) or (series, channel, time), a list of series of unequal length, or a SeriesSet
(its `labels` are y). Parameters have aeon's names: `distance` is a measure's name or its words
("dtw,band=sakoe-chiba:10%"), `distance_params` a dict of what wavewarp.Measure takes ({"band": "sakoe-chiba:5",
"gamma": 0.1}; `window`, a share of the length, is aeon's band). `precision` is "float" or "double"; None: that of X.

Errors are scikit-learn's where it checks (ValueError, NotFittedError), and wavewarp's own else, ValueErrors too.
"""

from __future__ import annotations

import numbers
from typing import Any, Optional

import numpy as np

from ._core import needs

needs("sklearn", "'wavewarp[sklearn]'")
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.cluster import DBSCAN
from sklearn.utils import check_array, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _learn
from ._context import default_context
from ._dataset import Dataset
from ._distance import cdist, fold, kneighbors, need_distance, pdist
from ._frames import is_flat_frame, library_of, numbers_of, rows_are_times
from ._measure import Measure
from ._series import SeriesSet, _time_first, arranged, is_ragged
from ._shapelets import Shapelets

try:
    from sklearn.utils.validation import validate_data as _validate
except ImportError:  # before scikit-learn 1.6

    def _validate(estimator, X, **options):
        return estimator._validate_data(X, **options)


def _lists(X):
    """Whether X holds series in objects of their own: their lengths are free, whatever the others had."""
    if isinstance(X, SeriesSet):
        return True
    if library_of(X):
        return not is_flat_frame(X) and getattr(X, "ndim", 0) != 3
    if not is_ragged(X) or getattr(X, "ndim", 1) > 1:
        return False
    return any(getattr(x, "ndim", 0) > 0 for x in X) or len({np.shape(x) for x in X}) > 1


def _check_finite(X):
    for i, x in enumerate(X):
        if x.shape[-1] == 0:
            raise ValueError(f"series {i} has no points")
        if not np.isfinite(x).all():
            raise ValueError(
                f"Input X contains NaN or infinity: series {i}, point {np.argwhere(~np.isfinite(x))[0][-1]}"
            )


def _table(X):
    """A table whose rows are series, as scikit-learn's are; one whose rows are times has none."""
    if library_of(X) and rows_are_times(X):
        raise ValueError("the rows of X are times: pass its transpose, whose rows are series, or a list of tables")
    if library_of(X):
        numbers_of(X)  # dates and texts are no numbers, though scikit-learn reads some
    return X


def _checked_table(estimator, X, reset, kinds):
    """A table as scikit-learn checks it: its rows are as long as those of fit()."""
    try:
        return _validate(estimator, _table(X), reset=reset, dtype=kinds)
    except ValueError as error:
        if reset or " features as input" not in str(error):
            raise
        hint = "series of other lengths go in a list of arrays, or in an array (series, 1, time)"
        raise ValueError(f"{error} Rows of a table have the length of fit()'s: {hint}") from None


def _order(estimator, shapes, reset):
    """The order of the axes of arrays that end with these two: the one which has the channels of fit(), or that of fit().
    None: as the shapes say."""
    if reset:
        estimator._time_first = all(_time_first(*shape) for shape in shapes)
        return None
    fits = [all(shape[axis] == estimator._channels for shape in shapes) for axis in (0, 1)]
    if all(fits):
        return "tc" if getattr(estimator, "_time_first", False) else "ct"
    return "ct" if fits[0] else "tc" if fits[1] else None


def _arranged(estimator, X, reset):
    """Series as arrays (channel, time): an array of three axes, or a list of arrays."""
    if isinstance(X, SeriesSet):
        return arranged(list(X), "ct")
    shapes = [] if library_of(X) else [np.shape(x) for x in X]
    if not shapes or any(len(shape) != 2 for shape in shapes):
        return arranged(X)
    order = _order(estimator, shapes, reset)
    return arranged(X, order and (order if _lists(X) else f"n{order}"))


def _series(estimator, X, reset):
    """X checked as scikit-learn checks tables, without its limit of two axes: an array (series, time) or (series,
    channel, time), or a list of arrays (channel, time)."""
    if _lists(X):
        made = _arranged(estimator, X, reset)
        _check_finite(made)
        if reset:
            estimator.n_features_in_ = max(x.shape[-1] for x in made)
            estimator._channels, estimator._free = made[0].shape[0], True
            if hasattr(estimator, "feature_names_in_"):
                del estimator.feature_names_in_
        odd = next((len(x) for x in made if len(x) != estimator._channels), None)
        if odd is not None:
            told = "other series have" if reset else "the estimator was fitted with"
            raise ValueError(f"X has {odd} channels, but {told} {estimator._channels}")
        return made
    three = (np.ndim(X) if isinstance(X, (list, tuple)) else getattr(X, "ndim", 2)) == 3
    # Lengths may differ between fit and predict in elastic measures; in tables they may not, and series of one channel
    # are tables: what scikit-learn checks of them, it checks here. After series in objects of their own all may.
    kinds = [np.float64, np.float32]
    if three or (not reset and getattr(estimator, "_free", False)):
        made = _arranged(estimator, X, reset) if three else _table(X)
        X = check_array(made, allow_nd=True, dtype=kinds)
    else:
        X = _checked_table(estimator, X, reset, kinds)
    channels = X.shape[1] if three else 1
    if reset:
        estimator._channels, estimator._free = channels, False
        if three:
            estimator.n_features_in_ = X.shape[2]
    elif channels != estimator._channels:
        raise ValueError(f"X has {channels} channels, but the estimator was fitted with {estimator._channels}")
    return X


def _data(X, y=None, precision=None):
    """A dataset of what _series() gave."""
    return Dataset(X, y, axes=_axes(X), precision=precision)


def _axes(X):
    return "nt" if getattr(X, "ndim", 3) == 2 else "nct"


class _Elastic(BaseEstimator):
    """What all estimators share: the measure and its data."""

    def _measure(self):
        parameters = dict(self.distance_params or {})
        if "window" in parameters:
            window = parameters.pop("window")
            if window is not None:
                parameters["band"] = f"slanted:{float(window)!r}"
        return Measure(self.distance, **parameters)

    def _sets(self, *sets):
        """Datasets of one precision, for a job."""
        precision = self.precision
        if precision is None:
            kinds = {x.dtype for X in sets for x in ([X] if isinstance(X, np.ndarray) else X)}
            precision = "float" if kinds == {np.dtype(np.float32)} or not default_context().has_double else "double"
        return [_data(x, None, precision) for x in sets]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags


def _targets(y, count):
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y = column_or_1d(y, warn=True)
    if len(y) != count:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[count, len(y)]}")
    return y


class _Neighbors(_Elastic):
    def __init__(self, distance="dtw", distance_params=None, n_neighbors=1, weights="uniform", precision=None):
        self.distance = distance
        self.distance_params = distance_params
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.precision = precision

    def _fit(self, X, y):
        X = _series(self, X, reset=True)
        if self.weights not in ("uniform", "distance"):
            raise ValueError(f"weights is {self.weights!r}, not 'uniform' or 'distance'")
        self._X, self._y = X, _targets(y, len(X))
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
        if X is None:
            queries, base = self._sets(self._X)[0], None
        else:
            queries, base = self._sets(_series(self, X, reset=False), self._X)
        values, indices = kneighbors(queries, base, k, self._measure())
        return (values, indices) if return_distance else indices

    def _run(self, X, targets=None, y=None):
        check_is_fitted(self)
        X = _series(self, X, reset=False)
        test, train = self._sets(X, self._X)
        if y is not None:
            train = _data(self._X, y, test.precision)
        k = min(self.n_neighbors, len(train))
        return _learn.Classifier(train, self._measure(), k=k, vote=self.weights, targets=targets).run(test)


class KNeighborsTimeSeriesClassifier(ClassifierMixin, _Neighbors):
    """The class with the largest vote among the k nearest training series; a tie goes to the nearest's class.

    n_neighbors: k. weights: "uniform", or "distance": 1/distance each.

    Raises nothing itself: fit() refuses what a parameter can't be.
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

    Raises nothing itself: fit() refuses what a parameter can't be.
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
        return self._run(X, targets=self._y).predicted


class _Clusters(ClusterMixin, _Elastic):
    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Cluster numbers of the series.

        Raises ValueError (as fit()).
        """
        return self.fit(X, y).labels_


class TimeSeriesKMeans(_Clusters):
    """k-means around DBA averages, or soft ones where distance_params has gamma.

    Raises nothing itself: fit() refuses what a parameter can't be.
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
    ):
        self.n_clusters = n_clusters
        self.distance = distance
        self.distance_params = distance_params
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.precision = precision

    def fit(self, X: Any, y: Any = None) -> TimeSeriesKMeans:
        """Clusters the series X: labels_, cluster_centers_, inertia_, n_iter_.

        Raises ValueError (X that is no series, has NaN or infinity; n_clusters below 1 or above the number of series; a
        measure that averages do not take).
        """
        X = _series(self, X, reset=True)
        seed = int(check_random_state(self.random_state).randint(1, 2**31 - 1))
        told = _learn.kmeans(
            self._sets(X)[0],
            self.n_clusters,
            self._measure(),
            seed=seed,
            starts=self.n_init,
            iterations=self.max_iter,
            tolerance=self.tol,
        )
        self.labels_, self.inertia_, self.n_iter_ = told.labels, told.objective, told.iterations
        self.cluster_centers_ = told.centres
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The nearest centre of each series.

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        check_is_fitted(self)
        X = _series(self, X, reset=False)
        queries, centres = self._sets(X, self.cluster_centers_)
        return kneighbors(queries, centres, 1, self._measure())[1][:, 0]


class TimeSeriesKMedoids(_Clusters):
    """k-medoids (FasterPAM) on all distances.

    Raises nothing itself: fit() refuses what a parameter can't be.
    """

    def __init__(self, n_clusters=8, distance="dtw", distance_params=None, precision=None):
        self.n_clusters = n_clusters
        self.distance = distance
        self.distance_params = distance_params
        self.precision = precision

    def fit(self, X: Any, y: Any = None) -> TimeSeriesKMedoids:
        """Clusters the series X: labels_, medoid_indices_, cluster_centers_, inertia_.

        Raises ValueError (X that is no series, has NaN or infinity; n_clusters below 1 or above the number of series;
        the measure's words).
        """
        X = _series(self, X, reset=True)
        told = _learn.medoids(pdist(self._sets(X)[0], self._measure()), self.n_clusters)
        self.labels_, self.medoid_indices_, self.inertia_ = told.labels, told.medoids, told.cost
        self.cluster_centers_ = [np.atleast_2d(X[i]) for i in told.medoids]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The nearest medoid of each series.

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        check_is_fitted(self)
        X = _series(self, X, reset=False)
        queries, centres = self._sets(X, self.cluster_centers_)
        return kneighbors(queries, centres, 1, self._measure())[1][:, 0]


class TimeSeriesAgglomerative(_Clusters):
    """Hierarchical clusters; linkage_ has SciPy's form. linkage: "single", "complete", "average", "ward".

    Raises nothing itself: fit() refuses what a parameter can't be.
    """

    def __init__(
        self,
        n_clusters=2,
        distance_threshold=None,
        linkage="average",
        distance="dtw",
        distance_params=None,
        precision=None,
    ):
        self.n_clusters = n_clusters
        self.distance_threshold = distance_threshold
        self.linkage = linkage
        self.distance = distance
        self.distance_params = distance_params
        self.precision = precision

    def fit(self, X: Any, y: Any = None) -> TimeSeriesAgglomerative:
        """Merges the series X: linkage_ in SciPy's form, labels_, n_clusters_.

        Raises ValueError (X that is no series, has NaN or infinity; fewer than two series; another linkage; n_clusters
        below 1 or above the number of series).
        """
        X = _series(self, X, reset=True)
        if len(X) < 2:
            raise ValueError(f"Found array with n_samples={len(X)} while a minimum of 2 is required")
        self.linkage_ = _learn.linkage(pdist(self._sets(X)[0], self._measure()), self.linkage)
        limit = np.inf if self.distance_threshold is None else self.distance_threshold
        clusters = self.n_clusters if self.distance_threshold is None else 1
        self.labels_ = _learn.cut(self.linkage_, clusters, limit)
        self.n_clusters_ = len(np.unique(self.labels_))
        return self


class TimeSeriesDBSCAN(_Clusters):
    """scikit-learn's DBSCAN on elastic distances. labels_ has -1 for noise.

    Raises nothing itself: fit() refuses what a parameter can't be.
    """

    def __init__(self, eps=0.5, min_samples=5, distance="dtw", distance_params=None, precision=None):
        self.eps = eps
        self.min_samples = min_samples
        self.distance = distance
        self.distance_params = distance_params
        self.precision = precision

    def fit(self, X: Any, y: Any = None) -> TimeSeriesDBSCAN:
        """Clusters the series X: labels_ (-1: noise), core_sample_indices_.

        Raises ValueError (X that is no series, has NaN or infinity; eps or min_samples that scikit-learn refuses; the
        measure's words).
        """
        X = _series(self, X, reset=True)
        made = DBSCAN(eps=self.eps, min_samples=self.min_samples, metric="precomputed")
        data = self._sets(X)[0]
        measure = need_distance(self._measure(), data.longest)
        if measure.gamma > 0:
            raise ValueError(
                f"{measure.name} with gamma={measure.gamma:g} is no distance: it is below 0 for series that are alike, "
                "and eps says nothing of it. Take gamma=0"
            )
        matrix = cdist(data, measure=measure)
        fold(matrix)  # refuses distances that differ by the way
        made.fit(np.maximum(matrix, 0))
        self.labels_, self.core_sample_indices_ = made.labels_, made.core_sample_indices_
        return self


def _seed(random_state):
    if random_state is None or isinstance(random_state, numbers.Integral):
        return random_state or 1
    return int(check_random_state(random_state).randint(1, 2**31 - 1))


class _Shapes(BaseEstimator):
    def _fit(self, X, y, **options):
        X = _series(self, X, reset=True)
        y = _targets(y, len(X))
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"Shapelets tell classes apart, and there is one class: {self.classes_[0]}")
        shortest = min(x.shape[-1] for x in X)
        if shortest < 2:
            raise ValueError(f"Shapelets have 2 points or more, and a series has n_features={shortest}")
        most = min(self.max_shapelet_length or shortest, shortest)
        if options.get("no_tree"):
            options["part_count"] = len(X)  # `best` is the most then: where there are fewer it is no error
        self.shapelets_ = Shapelets(
            min_length=min(self.min_shapelet_length, most),
            max_length=most,
            quality=self.quality,
            sample=self.n_shapelet_samples or 0,
            seed=_seed(self.random_state),
            seconds=60.0 * self.time_limit_in_minutes,
            **options,
        )
        self.shapelets_.fit(_data(X, codes, "float" if all(x.dtype == np.float32 for x in X) else None))
        if not self.shapelets_.info.shapelets and options.get("no_tree"):
            raise ValueError("no window tells the classes apart: there are no shapelets")
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.three_d_array = True
        return tags


class ShapeletTransform(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Shapes):
    """Distances to the best shapelets, as features for any classifier. max_shapelets: the most; there may be fewer.

    Raises nothing itself: fit() refuses what a parameter can't be.
    """

    def __init__(
        self,
        max_shapelets=10,
        min_shapelet_length=3,
        max_shapelet_length=None,
        n_shapelet_samples=None,
        quality="gain",
        time_limit_in_minutes=0.0,
        random_state=None,
    ):
        self.max_shapelets = max_shapelets
        self.min_shapelet_length = min_shapelet_length
        self.max_shapelet_length = max_shapelet_length
        self.n_shapelet_samples = n_shapelet_samples
        self.quality = quality
        self.time_limit_in_minutes = time_limit_in_minutes
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> ShapeletTransform:
        """Finds the best shapelets of the series X with labels y: shapelets_.

        Raises ValueError (X that is no series, has NaN or infinity; no labels, or one class; a series of one point;
        quality).
        """
        return self._fit(X, y, best=self.max_shapelets, no_tree=1)

    @property
    def _n_features_out(self):
        told = self.shapelets_.info
        return told.best or told.shapelets

    def transform(self, X: Any) -> np.ndarray:
        """Distances of shape (series, shapelets).

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        check_is_fitted(self)
        return self.shapelets_.transform(_data(_series(self, X, reset=False)))


class ShapeletTree(ClassifierMixin, _Shapes):
    """A decision tree of shapelets.

    Raises nothing itself: fit() refuses what a parameter can't be.
    """

    def __init__(
        self,
        min_shapelet_length=3,
        max_shapelet_length=None,
        n_shapelet_samples=None,
        quality="gain",
        max_depth=None,
        terms=1,
        time_limit_in_minutes=0.0,
        random_state=None,
    ):
        self.min_shapelet_length = min_shapelet_length
        self.max_shapelet_length = max_shapelet_length
        self.n_shapelet_samples = n_shapelet_samples
        self.quality = quality
        self.max_depth = max_depth
        self.terms = terms
        self.time_limit_in_minutes = time_limit_in_minutes
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> ShapeletTree:
        """Learns the tree from the series X with labels y: shapelets_.

        Raises ValueError (X that is no series, has NaN or infinity; no labels, or one class; a series of one point;
        quality).
        """
        return self._fit(X, y, max_depth=self.max_depth or 0, terms=self.terms)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of tables: it sees shapes of windows, not their levels
        return tags

    def predict(self, X: Any) -> np.ndarray:
        """The class of each series.

        Raises NotFittedError (before fit()), ValueError (X that is no series, has NaN or infinity; other channels, or
        in a table another length).
        """
        check_is_fitted(self)
        return self.classes_[self.shapelets_.predict(_data(_series(self, X, reset=False))).astype(int)]


class ElasticChoice(ClassifierMixin, _Elastic):
    """A neighbour classifier whose measure is chosen by leave-one-out on the training series.

    distances: measures or their words; None: DTW with bands of 0 to 20 % of the length. best_: the one chosen.

    Raises nothing itself: fit() refuses what a parameter can't be.
    """

    def __init__(self, distances=None, n_neighbors=1, precision=None):
        self.distances = distances
        self.n_neighbors = n_neighbors
        self.precision = precision

    def fit(self, X: Any, y: Any) -> ElasticChoice:
        """Chooses the measure by leave-one-out on the series X with labels y.

        Raises ValueError (X that is no series, has NaN or infinity; no labels; a measure's words).
        """
        given, X = X, _series(self, X, reset=True)
        y = _targets(y, len(X))
        check_classification_targets(y)
        tried = self.distances
        if tried is None:
            tried = [f"dtw,band=corner:{p}%" for p in range(21)]
        codes = np.unique(y, return_inverse=True)[1]
        k = max(1, min(self.n_neighbors, len(X) - 1))
        if len(X) > 1:
            told = _learn.choose(_data(X, codes, self.precision), tried, k=k)
            self.best_, self.accuracies_ = told.best, told.accuracies
        else:
            self.best_, self.accuracies_ = Measure(tried[0]), np.zeros(len(tried))
        self._nearest = KNeighborsTimeSeriesClassifier(self.best_, None, k, precision=self.precision).fit(given, y)
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
