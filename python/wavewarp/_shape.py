# SPDX-License-Identifier: Apache-2.0
"""Shape-based distances and k-shape."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import of_argument
from ._context import Context
from ._core import NULL, Progress, check, info, lib, new, number, plan_options, run
from ._dataset import datasets
from ._results import Clusters
from ._series import SeriesSet, output, pointer


def sbd(
    x: Any,
    y: Any = None,
    *,
    shifts: bool = False,
    raw: bool = False,
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
) -> Any:
    """Shape-based distances between two sets, of shape (len(x), len(y)): 1 less the largest cross-correlation over all shifts.

    As aeon's and tslearn's, from 0 to 2 (Paparrizos and Gravano 2015). Of several channels the correlations are summed, and
    divided by the norms of all channels together (tslearn's; aeon has the mean of the channels' distances).

    Parameters
    ----------
    x, y : Dataset, or what one takes
        The sets, of series that may differ in length; `y` None: `x` with itself.
    shifts : bool
        Also by how many points the series of `y` is delayed to lie on that of `x`; of equal ones the least.
    raw : bool
        Compare the series as they are; False: each channel is z-normalised first.
    axes, precision, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.

    Returns
    -------
    numpy.ndarray
        Of the datasets' type; with `shifts` a tuple of it and of int32, of the same shape.

    Raises
    ------
    ValueError
        Other channels; no points, NaN.
    MemoryError
        The sets, or a row of distances, do not fit the device.

    Examples
    --------
    >>> distances, shifts = ww.sbd([[0, 1, 3, 1, 0, 0], [0, 0, 0, 1, 3, 1]], shifts=True)
    >>> shifts.tolist(), distances.round(3).tolist()
    ([[0, -2], [2, 0]], [[0.0, 0.203], [0.203, 0.0]])
    """
    rows, columns = datasets(x, y, axes=axes, precision=precision, context=context)
    shape = len(rows), len(columns if columns is not None else rows)
    values, moved = np.empty(shape, rows.dtype), np.empty(shape, np.int32) if shifts else None
    options = new("ww_sbd_options", raw=int(raw), run=run(progress, max_bytes))
    check(lib.ww_sbd(rows._c, columns._c if columns is not None else NULL, options, pointer(values), output(moved, "int32_t")))
    return (values, moved) if shifts else values


def kshape(
    series: Any,
    k: int,
    *,
    seed: int = 1,
    starts: int = 1,
    first: Any = None,
    iterations: int = 50,
    tolerance: float = 1e-6,
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
) -> Clusters:
    """k-shape: clusters around shapes, by shape-based distance, of series of one length that are z-normalised first.

    Parameters
    ----------
    series : Dataset, or what one takes
        The set.
    k : int
        Clusters.
    seed : int
        The same one gives the same clusters on a device.
    starts : int
        Number of searches, each from other first centres; the best one is returned.
    first : k series, optional
        The first centres; None: series, drawn as k-means++ draws them.
    iterations, tolerance
        Iterations of a search at most; it ends earlier when one lowers the objective by less than this share.
    axes, precision, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.

    Returns
    -------
    Clusters
        labels, distances, centres (a list of (channel, time)), objective, iterations, converged, ...

    Raises
    ------
    ValueError
        `k` below 1 or above the number of series; series or first centres of different lengths; first centres of another
        number, other channels or with starts; starts below 1; tolerance from 0 to 1.

    Examples
    --------
    >>> told = ww.kshape([[0, 1, 3, 1, 0, 0], [0, 0, 0, 1, 3, 1], [5, 4, 1, 1, 4, 5], [4, 1, 1, 4, 5, 5]], 2)
    >>> told.labels.tolist()
    [0, 0, 1, 1]
    """
    k = number("k", k)
    data = datasets(series, None, axes=axes, precision=precision, context=context, names=("series", ""))[0]
    given = first if first is None or isinstance(first, SeriesSet) else of_argument("first", SeriesSet, first, axes=axes)
    options = new(
        "ww_kmeans_options",
        first=None if given is None else given._c,
        seed=seed,
        starts=starts,
        iterations=iterations,
        tolerance=tolerance,
        plan=plan_options("auto", progress=progress, max_bytes=max_bytes),
    )
    labels, distances, record = np.empty(len(data), np.int64), np.empty(len(data)), new("ww_kmeans_info")
    centres = SeriesSet._make(
        lambda made: lib.ww_cluster_kshape(
            data._c, k, options, output(labels, "int64_t"), output(distances, "double"), made, record
        )
    )
    told = Clusters(**vars(info(record)), labels=labels, distances=distances, centres=[centres[i] for i in range(k)])
    return told._under("sbd")
