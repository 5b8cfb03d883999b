# SPDX-License-Identifier: Apache-2.0
"""What all estimators share: series as scikit-learn checks tables, the measure, and where it is computed."""

from __future__ import annotations

import threading

import numpy as np

from sklearn.base import BaseEstimator
from sklearn.utils import check_array, column_or_1d

from ._context import Context, default_context
from ._dataset import Dataset
from ._distance import cdist, pdist
from ._frames import is_flat_frame, library_of, numbers_of, rows_are_times
from ._measure import Measure
from ._axes import arranged, is_ragged, is_time_first
from ._series import SeriesSet, is_texts, unpadded

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


def _axis_count(X):
    return np.ndim(X) if isinstance(X, (list, tuple)) else getattr(X, "ndim", 2)


def _are_texts(X):
    """Whether X is a list, or an array of one axis, of texts."""
    return is_texts(X) or (getattr(X, "ndim", 0) == 1 and len(X) > 0 and is_texts(list(X)))


def _unpadded(X):
    """Series without the NaN that make them as long as others, (channel, time) each; None where none ends so."""
    array = X if isinstance(X, np.ndarray) else None
    if array is None or array.ndim not in (2, 3) or array.dtype.kind != "f" or not array.size:
        return None
    return unpadded(array[:, None, :] if array.ndim == 2 else array)


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


def _axes_of(estimator, X, reset):
    """What `axes` says of an array, or of a list of arrays; else the order which has the channels of fit(), or that of
    fit(). None: as the shapes say."""
    shapes = [] if library_of(X) else [np.shape(x) for x in X]
    if estimator.axes or not shapes or any(len(shape) != 2 for shape in shapes):
        return estimator.axes
    if reset:
        estimator._time_first = all(is_time_first(*shape) for shape in shapes)
        return None
    fits = [all(shape[axis] == estimator._channels for shape in shapes) for axis in (0, 1)]
    first = getattr(estimator, "_time_first", False) if all(fits) else fits[1]
    return ("" if _lists(X) else "n") + ("tc" if first else "ct") if any(fits) else None


def series_of(estimator, X, reset):
    """X checked as scikit-learn checks tables, without its limit of two axes: an array (series, time) or (series,
    channel, time), or a list of arrays (channel, time)."""
    axes = estimator.axes
    if _are_texts(X):
        X = SeriesSet.of_texts(list(X))
    elif not _lists(X) and (axes not in (None, "nt", "nct") or _axis_count(X) == 3):
        X = arranged(X, _axes_of(estimator, X, reset))
    unpadded = None if _lists(X) else _unpadded(X)
    X = X if unpadded is None else unpadded
    if _lists(X):
        known = isinstance(X, SeriesSet) or unpadded is not None
        made = arranged(list(X), "ct") if known else arranged(X, _axes_of(estimator, X, reset))
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
    three = _axis_count(X) == 3
    # Lengths may differ between fit and predict in elastic measures; in tables they may not, and series of one channel
    # are tables: what scikit-learn checks of them, it checks here. After series in objects of their own all may.
    kinds = [np.float64, np.float32]
    if three or (not reset and getattr(estimator, "_free", False)):
        X = check_array(X if three else _table(X), allow_nd=True, dtype=kinds)
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


_contexts: dict = {}  # on a part of a CPU, by the number of threads
_contexts_lock = threading.Lock()


class Base(BaseEstimator):
    """What axes, n_jobs and verbose say, of every estimator."""

    def _context(self) -> Context:
        """The default context; of a CPU one with so many threads as n_jobs says, which -1 and None leave to it."""
        made = default_context()
        if self.n_jobs in (None, -1) or made.device.type != "cpu":
            return made
        units = made.device.compute_units
        count = units + 1 + self.n_jobs if self.n_jobs < 0 else self.n_jobs
        if self.n_jobs == 0:
            raise ValueError("n_jobs is 0; None and -1 are all threads")
        if count >= units:
            return made
        with _contexts_lock:
            if count not in _contexts:
                _contexts[count] = Context(threads=max(count, 1))
            return _contexts[count]

    def _progress(self):
        return True if self.verbose else None

    def _data(self, X, y=None, precision=None):
        """A dataset of what series_of() gave."""
        axes = "nt" if getattr(X, "ndim", 3) == 2 else "nct"
        return Dataset(X, y, axes=axes, precision=precision, context=self._context())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.pairwise = getattr(self, "distance", None) == "precomputed"
        return tags


class Elastic(Base):
    """The measure and its data, or distances that the caller computes."""

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
            single = kinds == {np.dtype(np.float32)} or not self._context().has_double
            precision = "float" if single else "double"
        return [self._data(x, None, precision) for x in sets]

    def _is_given(self):
        """Whether distances are the caller's: of a function, or computed before."""
        return callable(self.distance) or self.distance == "precomputed"

    def _checked(self, X, reset):
        """X as series_of() gives it; distances "precomputed" as a matrix, to the training series."""
        if self.distance != "precomputed":
            return series_of(self, X, reset)
        X = _validate(self, X, reset=reset, dtype=[np.float64, np.float32])
        if reset and X.shape[0] != X.shape[1]:
            raise ValueError(f"distances of shape {X.shape}: precomputed ones are those of all training series, a square")
        return X

    def _between(self, X, Y):
        """All distances between two sets; of precomputed ones, X are those to all training series, Y indices of some."""
        if self.distance == "precomputed":
            return X if Y is None else X[:, Y]
        if callable(self.distance):
            sides = [[x[0] if x.ndim == 2 and len(x) == 1 else x for x in side] for side in (X, X if Y is None else Y)]
            options = self.distance_params or {}
            return np.array([[float(self.distance(x, y, **options)) for y in sides[1]] for x in sides[0]])
        sets = self._sets(X) if Y is None else self._sets(X, Y)
        return cdist(*sets, measure=self._measure(), progress=self._progress())

    def _within(self, X):
        """The distances within a set, for clusters: condensed, or the caller's as a square."""
        if self._is_given():
            return self._between(X, None)
        return pdist(self._sets(X)[0], self._measure(), progress=self._progress())


def votes_of(distances, codes, count, weights):
    """(class numbers, shares of the votes) by neighbours, nearest first: ties go to the class that is met first."""
    rows, w = np.arange(len(codes))[:, None], weights_of(distances, weights)
    shares = np.zeros((len(codes), count))
    np.add.at(shares, (rows, codes), w)
    shares /= shares.sum(axis=1, keepdims=True)
    met = shares[rows, codes]
    return codes[rows[:, 0], (met >= shares.max(axis=1, keepdims=True) * (1 - 1e-12)).argmax(axis=1)], shares


def weights_of(distances, weights):
    """The weight of each neighbour's vote; by distance, where some are 0 these alone vote."""
    if weights == "uniform":
        return np.ones(distances.shape)
    zero = distances <= 0
    with np.errstate(divide="ignore"):
        return np.where(zero.any(axis=1, keepdims=True), zero, 1 / distances)


def targets_of(y, count):
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y = column_or_1d(y, warn=True)
    if len(y) != count:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[count, len(y)]}")
    return y
