# SPDX-License-Identifier: Apache-2.0
"""Matrices and neighbours on a Dask cluster: tiles of rows and columns, each computed by one worker on its device."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from ._arrays import as_numbers
from ._core import needs

needs("dask.array", "'wavewarp[dask]'")
import dask
import dask.array

from . import _distance
from ._measure import MeasureLike
from ._parts import merge_neighbours


def _parts(series, size):
    array = as_numbers(series)
    return array, [slice(i, min(i + size, len(array))) for i in range(0, len(array), size)]


def cdist(x: Any, y: Any = None, measure: MeasureLike = "dtw", *, tile: int = 1000, **options) -> dask.array.Array:
    """All distances as a Dask array in tiles.

    Parameters
    ----------
    x, y : array_like
        Series of one length; `y` None: `x` with itself.
    measure : Measure or str
        measures() lists those there are.
    tile : int
        Series of a side of a tile.
    **options
        As of wavewarp.cdist().

    Returns
    -------
    dask.array.Array of shape (len(x), len(y))

    Raises
    ------
    TypeError
        No numbers, at once.
    ValueError
        What wavewarp.cdist() refuses, when the array is computed.

    Examples
    --------
    >>> import wavewarp.dask
    >>> wavewarp.dask.cdist([[0.0, 1], [2.0, 1]], tile=1).compute().tolist()
    [[0.0, 4.0], [4.0, 0.0]]
    """
    x, rows = _parts(x, tile)
    y, columns = (x, rows) if y is None else _parts(y, tile)
    dtype = np.dtype(np.float32 if x.dtype == y.dtype == np.float32 else np.float64)
    job = dask.delayed(_distance.cdist, pure=True)

    def block(r, c):
        made = job(x[r], y[c], measure, **options)
        return dask.array.from_delayed(made, (r.stop - r.start, c.stop - c.start), dtype=dtype)

    return dask.array.block([[block(r, c) for c in columns] for r in rows])


def _nearest(x, y, first, k, measure, options):
    values, indices = _distance.kneighbors(x, y, k, measure, **options)
    return values, np.where(indices < 0, -1, indices + first)


def kneighbors(
    queries: Any, base: Any, k: int = 1, measure: MeasureLike = "dtw", *, tile: int = 1000, **options
) -> Tuple[np.ndarray, np.ndarray]:
    """The nearest series, computed by parts of queries and base.

    Parameters
    ----------
    queries, base : array_like
        Series of one length.
    k : int
        Neighbours a query.
    measure : Measure or str
        measures() lists those there are.
    tile : int
        Series of a part.
    **options
        As of wavewarp.kneighbors().

    Returns
    -------
    (ndarray, ndarray)
        Distances and indices, of shape (queries, k).

    Raises
    ------
    TypeError
        No numbers.
    ValueError
        What wavewarp.kneighbors() refuses.

    Examples
    --------
    >>> import wavewarp.dask
    >>> wavewarp.dask.kneighbors([[2.0, 1]], [[0.0, 1], [2.0, 1]], tile=1)[1].tolist()
    [[1]]
    """
    queries, rows = _parts(queries, tile)
    base, columns = _parts(base, tile)
    job, merge = dask.delayed(_nearest, pure=True), dask.delayed(merge_neighbours, pure=True)
    made = []
    for r in rows:
        parts = [job(queries[r], base[c], c.start, k, measure, options) for c in columns]
        while len(parts) > 1:
            parts = [merge(*parts[i : i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
        made.append(parts[0])
    values, indices = zip(*dask.compute(*made))
    return np.concatenate(values), np.concatenate(indices)
