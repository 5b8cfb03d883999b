# SPDX-License-Identifier: Apache-2.0
"""The accumulated costs of two series: the matrix that a distance ends and a path runs through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._context import Context
from ._core import Progress, check, handle, lib, plan_options
from ._dataset import datasets
from ._distance import series_pair
from ._measure import MeasureLike, Options
from ._measure import measure as as_measure
from ._series import result, to_output

if TYPE_CHECKING:
    from typing_extensions import Unpack


def cost_matrix(
    x: Any,
    y: Any,
    measure: MeasureLike = "dtw",
    *,
    out: Optional[np.ndarray] = None,
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> np.ndarray:
    """The accumulated costs of two series, of shape (n, m): value (i, j) is the measure's recurrence up to these points.

    As aeon's `..._cost_matrix` and tslearn's `accumulated_matrix`, without the border above and left of the first points
    (dtaidistance's `warping_paths` has it, and takes roots). No root is taken, and LCSS and EDR are not divided by a
    length: theirs and LCS's values are counts. Cells outside the band are infinite. With closed ends the last cell is the
    distance, before those; path() runs through the cells.

    Parameters
    ----------
    x, y : array_like of shape (time,) or (channel, time), or str
        The two series, or two texts.
    measure : Measure or str
        measures() lists the names; soft ones too. Independent channels: the sum of their matrices.
    out : numpy.ndarray, optional
        Takes the values: of that shape and type, C-contiguous.
    axes, precision, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them. The device holds as many rows at a time as fit.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``relax="0:0:all:all"``, ``gamma=1``.

    Returns
    -------
    numpy.ndarray
        float64; precision="float": float32. Of DDTW and WDDTW the shape is (n-2, m-2).

    Raises
    ------
    ValueError
        Other channels; no points, NaN; a band that leaves no path; `out` is of another shape or type.
    MemoryError
        The matrix does not fit host memory, or less than 64 rows of it (8 on a GPU) the device.

    Examples
    --------
    >>> ww.cost_matrix([0, 1, 2], [0, 2, 2]).tolist()
    [[0.0, 4.0, 8.0], [1.0, 1.0, 2.0], [5.0, 1.0, 1.0]]
    """
    x, y = series_pair(x, y, axes)
    measure = as_measure(measure, parameters)
    rows, columns = datasets(x[None], y[None], axes="nct", precision=precision, context=context)
    plan, options = handle("ww_plan"), plan_options("auto", progress=progress, max_bytes=max_bytes)
    check(lib.ww_plan_create_costs(measure.c(max(rows.longest, columns.longest)), rows._c, columns._c, 0, 0, options, plan))
    shorter = 2 if measure.name in ("ddtw", "wddtw") else 0
    values = result(out, (x.shape[1] - shorter, y.shape[1] - shorter), rows.dtype)
    check(lib.ww_plan_run(plan[0], to_output(values)))
    return values
