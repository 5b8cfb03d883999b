# SPDX-License-Identifier: Apache-2.0
"""Clusters from distances: trees, how well they are separated and agree."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import classes_of, doubles
from ._core import NULL, Progress, by_name, check, ffi, lib, new, number, run
from ._medoids import condensed
from ._results import Silhouette
from ._series import output, pointer, precision_of

_MERGE = np.dtype([("left", np.int64), ("right", np.int64), ("distance", np.float64), ("size", np.int64)])
_FIELDS = ("left", "right", "distance", "size")
assert _MERGE.itemsize == ffi.sizeof("ww_merge")


def linkage(distances: Any, method: Optional[str] = "average", *, progress: Progress = None) -> np.ndarray:
    """The tree of merges of an agglomerative clustering, in SciPy's form.

    Parameters
    ----------
    distances : array_like
        Of pdist(), or a square matrix.
    method : str
        "single", "complete", "average" or "ward".
    progress
        What every job takes: ``help(wavewarp)`` has it.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        Left, right, distance and size of each merge.

    Raises
    ------
    ValueError
        There is no such method; distances of another shape, with NaN, or below 0 for "ward".

    Examples
    --------
    >>> ww.linkage([1.0, 4.0, 3.0]).tolist()
    [[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 3.5, 3.0]]
    """
    values, count = condensed(distances)
    merges = np.empty(count - 1, _MERGE)
    check(
        lib.ww_cluster_agglomerate(
            pointer(values),
            precision_of(values.dtype),
            count,
            by_name("ww_linkage", method),
            run(progress),
            ffi.cast("ww_merge *", pointer(merges)),
        )
    )
    return np.stack([merges[name].astype(np.float64) for name in _FIELDS], axis=1).reshape(-1, 4)


def cut(merges: Any, k: int = 1, distance=np.inf) -> np.ndarray:
    """The clusters of a tree.

    Parameters
    ----------
    merges : array_like of shape (n - 1, 4)
        Of linkage().
    k : int
        The least number of clusters.
    distance : float
        Merges above it are not made.

    Returns
    -------
    ndarray of shape (n,)
        The cluster of each item, from 0.

    Raises
    ------
    ValueError
        k below 1 or above the number of items; a distance of NaN; not four columns; merges that linkage() did not make.

    Examples
    --------
    >>> ww.cut(ww.linkage([1.0, 4.0, 3.0]), k=2).tolist()
    [0, 0, 1]
    """
    merges = doubles("merges", merges)
    if merges.size % 4 or merges.ndim > 2:
        raise ValueError(f"merges have four columns, and the array has shape {merges.shape}")
    merges = merges.reshape(-1, 4)
    records = np.empty(len(merges), _MERGE)
    for i, name in enumerate(_FIELDS):
        records[name] = merges[:, i]
    labels = np.empty(len(merges) + 1, np.int64)
    check(
        lib.ww_cluster_cut(
            ffi.cast("ww_merge *", pointer(records)), len(labels), distance, k, output(labels, "int64_t"), NULL
        )
    )
    return labels


def _codes(labels, count=None):
    codes = classes_of(labels)[1]
    if count is not None and len(codes) != count:
        raise ValueError(f"{len(codes)} labels for {count} items")
    return codes


def silhouette(distances: Any, labels: Any) -> Silhouette:
    """How well clusters are separated: (mean, an array with each item's value), from -1 to 1, 0 for an item alone.

    Parameters
    ----------
    distances : array_like
        Of pdist(), or a square matrix.
    labels : sequence
        One an item, of any kind.

    Returns
    -------
    Silhouette

    Raises
    ------
    ValueError
        Another number of labels, or one that is missing; distances of another shape, below 0 or with NaN.

    Examples
    --------
    >>> mean, each = ww.silhouette(ww.pdist([[0, 1], [0, 2], [9, 8], [9, 7]]), ["a", "a", "b", "b"])
    >>> round(mean, 3)
    0.991
    """
    values, count = condensed(distances)
    codes, each, mean = _codes(labels, count), np.empty(count), ffi.new("double *")
    check(
        lib.ww_cluster_silhouette(
            pointer(values), precision_of(values.dtype), count, output(codes, "int64_t"), output(each, "double"), mean
        )
    )
    return Silhouette(mean[0], each)


def rand_index(a: Any, b: Any) -> float:
    """The adjusted Rand index of two partitions.

    Parameters
    ----------
    a, b : sequence
        A label an item.

    Returns
    -------
    float
        1 where both are equal, about 0 where they are independent.

    Raises
    ------
    ValueError
        Different numbers of labels, or fewer than two that are labelled in both.

    Examples
    --------
    >>> ww.rand_index([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    a = _codes(a)
    b, value = _codes(b, len(a)), ffi.new("double *")
    check(lib.ww_cluster_agreement(output(a, "int64_t"), output(b, "int64_t"), len(a), value))
    return value[0]
