# SPDX-License-Identifier: Apache-2.0
"""The consensus motif of several series."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._arrays import of_argument
from ._context import Context, default_context
from ._core import Progress, check, ffi, lib, number
from ._profile import options_of
from ._results import Record, many
from ._series import output, view


class Consensus(Record):
    """A consensus motif: what consensus_motif() returns.

    Attributes
    ----------
    series, window : int
        Where it is.
    radius : float
        The distance of the farthest of its nearest windows.
    windows, distances : numpy.ndarray
        Of each series its nearest window, and how far it is.

    Examples
    --------
    >>> found = ww.consensus_motif([[0, 3, 1, 4, 1, 9, 9], [7, 7, 0, 3, 1, 4, 1]], 5)
    >>> found.windows.tolist()
    [0, 2]
    """

    series: int
    window: int
    radius: float
    windows: np.ndarray
    distances: np.ndarray

    def _told(self):
        return f"window {self.window} of series {self.series}, radius {self.radius:.6g}, {many(len(self.windows), 'series', 'series')}"


def consensus_motif(
    series: Any,
    window: int,
    *,
    precision: Optional[str] = None,
    best_channels: int = 0,
    forced_channels: Sequence[int] = (),
    normalize: bool = True,
    p: float = 2.0,
    flat_below: float = 0.0,
    axes: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
) -> Consensus:
    """The window that all series share most closely: the one with the least radius.

    A window's radius is the distance of the farthest of its nearest windows in the other series. Of equal radii the one with
    the least sum of distances counts. Distances are those of profile(); stumpy.ostinato() finds the same.

    Parameters
    ----------
    series : array_like of shape (n, time) or (n, channel, time), list of series, SeriesSet
        2 series or more, of any lengths from `window` on; a window with NaN or infinity is not found.
    window : int
        Points of a window.
    precision, best_channels, forced_channels, normalize, p, flat_below
        As of profile().
    axes, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them. Progress is of each two series in turn.

    Returns
    -------
    Consensus
        `series` and `window` say where it is; `windows` and `distances` have the nearest window of each series.

    Raises
    ------
    ValueError
        Fewer than 2 series, or a series that is shorter than the window; no window has neighbours in all; options that profile() refuses.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> shape = np.array([0.0, 3, 1, 4, 1])
    >>> found = ww.consensus_motif([np.r_[9, 8, 6, shape], np.r_[shape, 5, 1, 5], np.r_[2, 2, 2 * shape, 9]], 5)
    >>> found.series, found.window, round(found.radius, 9), found.windows.tolist()
    (0, 3, 0.0, [3, 0, 2])
    """
    context = context or default_context()
    named = {
        "k": 1,
        "exclusion": None,
        "left_right": False,
        "precision": precision or ("double" if context.has_double else "float"),
        "best_channels": best_channels,
        "forced_channels": forced_channels,
        "normalize": normalize,
        "p": p,
        "flat_below": flat_below,
    }
    options = options_of(named, progress, max_bytes)
    taken = of_argument("series", view, series, axes)
    windows, distances = np.empty(taken.count, np.int64), np.empty(taken.count)
    of, radius = ffi.new("size_t *"), ffi.new("double *")
    to = output(windows, "int64_t"), output(distances, "double")
    check(lib.ww_profile_find_consensus(context._c, taken.c, number("window", window), options, of, radius, *to))
    return Consensus(series=of[0], window=int(windows[of[0]]), radius=radius[0], windows=windows, distances=distances)
