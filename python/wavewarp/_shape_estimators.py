# SPDX-License-Identifier: Apache-2.0
"""Estimators of shapelets, which wavewarp.sklearn has."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ._estimator import Base, series_of, targets_of
from ._shapelets import Shapelets


def _seed(random_state):
    if random_state is None or isinstance(random_state, numbers.Integral):
        return random_state or 1
    return int(check_random_state(random_state).randint(1, 2**31 - 1))


class _Shapes(Base):
    def _fit(self, X, y, **options):
        X = series_of(self, X, reset=True)
        y = targets_of(y, len(X))
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"Shapelets tell classes apart, and there is one class: {self.classes_[0]}")
        shortest = min(x.shape[-1] for x in X)
        if shortest < 2:
            raise ValueError(f"Shapelets have 2 points or more, and a series has n_features={shortest}")
        most = min(self.max_shapelet_length or shortest, shortest)
        if options.get("no_tree"):
            options["fewer"] = True
        self.shapelets_ = Shapelets(
            min_length=min(self.min_shapelet_length, most),
            max_length=most,
            quality=self.quality,
            sample=self.n_shapelet_samples or 0,
            seed=_seed(self.random_state),
            seconds=60.0 * self.time_limit_in_minutes,
            **options,
        )
        precision = "float" if all(x.dtype == np.float32 for x in X) else None
        self.shapelets_.fit(self._data(X, codes, precision), progress=self._progress())
        if not self.shapelets_.info.shapelets and options.get("no_tree"):
            raise ValueError("no window tells the classes apart: there are no shapelets")
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class ShapeletTransform(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Shapes):
    """Distances to the best shapelets, as features for any classifier.

    Parameters
    ----------
    max_shapelets : int
        Number of shapelets at most; there may be fewer.
    min_shapelet_length, max_shapelet_length
        Points of candidates; max_shapelet_length None: the shortest series.
    n_shapelet_samples : int, optional
        Number of candidates, drawn by random_state; None: all.
    quality : "gain", "f", "kruskal-wallis" or "mood"
        How candidates are judged.
    time_limit_in_minutes : float
        After it no further part of the candidates is begun; 0: no limit.
    random_state : int, RandomState or None
        Draws the candidates.
    axes, n_jobs, verbose
        As the module wavewarp.sklearn says.

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> wws.ShapeletTransform(1).fit(X, y).transform(X).shape
    (4, 1)
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
        axes=None,
        n_jobs=None,
        verbose=0,
    ) -> None:
        self.max_shapelets = max_shapelets
        self.min_shapelet_length = min_shapelet_length
        self.max_shapelet_length = max_shapelet_length
        self.n_shapelet_samples = n_shapelet_samples
        self.quality = quality
        self.time_limit_in_minutes = time_limit_in_minutes
        self.random_state = random_state
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> ShapeletTransform:
        """Finds the best shapelets: shapelets_.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : array_like
            Labels, one a series.

        Returns
        -------
        ShapeletTransform
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity; no labels, or one class; a series of one point; another word for
            quality.
        """
        return self._fit(X, y, best=self.max_shapelets, no_tree=1)

    @property
    def _n_features_out(self):
        told = self.shapelets_.info
        return told.best or told.shapelets

    def transform(self, X: Any) -> np.ndarray:
        """The distances of each series to the shapelets.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.

        Returns
        -------
        numpy.ndarray
            Of shape (series, shapelets).

        Raises
        ------
        NotFittedError
            Before fit().
        ValueError
            X that is no series, has NaN or infinity; other channels, or in a table another length.
        """
        check_is_fitted(self)
        return self.shapelets_.transform(self._data(series_of(self, X, reset=False)), progress=self._progress())


class ShapeletTree(ClassifierMixin, _Shapes):
    """A decision tree of shapelets.

    Parameters
    ----------
    max_depth : int, optional
        Splits from the root to a leaf; None: any number.
    terms : int
        Shapelets of a node, joined by AND and OR, 1 to 8.
    min_shapelet_length, max_shapelet_length
        Points of candidates; max_shapelet_length None: the shortest series.
    n_shapelet_samples : int, optional
        Number of candidates, drawn by random_state; None: all.
    quality : "gain", "f", "kruskal-wallis" or "mood"
        How candidates are judged.
    time_limit_in_minutes : float
        After it no further part of the candidates is begun; 0: no limit.
    random_state : int, RandomState or None
        Draws the candidates.
    axes, n_jobs, verbose
        As the module wavewarp.sklearn says.

    Examples
    --------
    >>> X, y = [[0, 1, 2, 2], [0, 1, 1, 3], [9, 8, 7, 7], [9, 9, 8, 6]], ["up", "up", "down", "down"]
    >>> wws.ShapeletTree(2, 3).fit(X, y).predict(X).tolist()
    ['up', 'up', 'down', 'down']
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
        axes=None,
        n_jobs=None,
        verbose=0,
    ) -> None:
        self.min_shapelet_length = min_shapelet_length
        self.max_shapelet_length = max_shapelet_length
        self.n_shapelet_samples = n_shapelet_samples
        self.quality = quality
        self.max_depth = max_depth
        self.terms = terms
        self.time_limit_in_minutes = time_limit_in_minutes
        self.random_state = random_state
        self.axes = axes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> ShapeletTree:
        """Learns the tree: shapelets_.

        Parameters
        ----------
        X : series
            As the module wavewarp.sklearn says.
        y : array_like
            Labels, one a series.

        Returns
        -------
        ShapeletTree
            Itself.

        Raises
        ------
        ValueError
            X that is no series, has NaN or infinity; no labels, or one class; a series of one point; another word for
            quality.
        """
        return self._fit(X, y, max_depth=self.max_depth or 0, terms=self.terms)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of tables: it sees shapes of windows, not their levels
        return tags

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
        return self.classes_[self.shapelets_.predict(self._data(series_of(self, X, reset=False))).astype(int)]
