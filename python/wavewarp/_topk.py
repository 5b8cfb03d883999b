# SPDX-License-Identifier: Apache-2.0
"""Selection: the k smallest of the rows of a matrix."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ._arrays import as_numbers
from ._context import Context, default_context
from ._core import Progress, check, handle, lib, new, number, run
from ._series import output, pointer


def topk(
    values: Any, k: int, *, context: Optional[Context] = None, progress: Progress = None
) -> Tuple[np.ndarray, np.ndarray]:
    """The k smallest values of each row of a matrix, selected on the device.

    Of equal values the lower column comes first. NaN is never chosen.

    Parameters
    ----------
    values : array_like of shape (rows, columns)
        The matrix.
    k : int
        How many of each row.
    context, progress
        What every job takes: ``help(wavewarp)`` has them.

    Returns
    -------
    (ndarray, ndarray)
        Values and columns, of shape (rows, k), the smallest first; infinity and -1 where there are fewer.

    Raises
    ------
    ValueError
        Not two axes; no rows, no columns or k of 0.
    TypeError
        No numbers.

    Examples
    --------
    >>> values, columns = ww.topk([[3.0, 1.0, 2.0]], 2)
    >>> values.tolist(), columns.tolist()
    ([[1.0, 2.0]], [[1, 2]])
    """
    matrix = np.ascontiguousarray(as_numbers(values))
    if matrix.ndim != 2:
        raise ValueError("values has to be a matrix: two axes")
    kind = lib.WW_FLOAT if matrix.dtype == np.float32 else lib.WW_DOUBLE
    made, options = handle("ww_topk"), new("ww_topk_options", precision=kind, run=run(progress))
    k = number("k", k)
    check(lib.ww_topk_create((context or default_context())._c, *matrix.shape, k, options, made))
    indices, smallest = np.empty((len(matrix), k), np.int64), np.empty((len(matrix), k), matrix.dtype)
    check(lib.ww_topk_run(made[0], pointer(matrix), output(indices, "int64_t"), pointer(smallest)))
    return smallest, indices
