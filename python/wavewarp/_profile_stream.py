# SPDX-License-Identifier: Apache-2.0
"""Matrix profiles of series that grow."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._arrays import as_numbers
from ._context import Context, default_context
from ._core import Progress, alone, check, handle, lib, new, number
from ._profile import arcs_of, options_of, regimes_of
from ._series import output


class ProfileStream:
    """The matrix profile of a series that grows: push() adds points, the profile so far is in its arrays.

    Parameters
    ----------
    window : int
        Points of a window.
    channels : int
        Of each point.
    keep : int, optional
        Number of points that stay, the last ones; None: all stay. A window that is forgotten is no new neighbour, and
        stays one where it was.
    k, exclusion, left_right, precision, best_channels, forced_channels, normalize, p, flat_below, progress, max_bytes,
    context
        As of profile().

    Where nothing is forgotten the arrays are those of profile() of all points, bit for bit. Indices count from the first
    point pushed, and row i is of window first + i.

    Raises
    ------
    ValueError
        What profile() refuses; a `keep` that leaves no pair of windows.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> series = np.r_[np.arange(20) % 7, 0, 9, 1, 8, np.arange(20) % 7]
    >>> stream = ww.ProfileStream(6)
    >>> stream.push(series[:30])
    >>> stream.push(series[30:])
    >>> stream.points, bool((stream.distances == ww.profile(series, 6).distances).all())
    (44, True)
    >>> stream.arc_curve().shape, stream.regimes(0).tolist()
    ((39,), [])
    """

    def __init__(
        self,
        window: int,
        *,
        channels: int = 1,
        keep: Optional[int] = None,
        k: int = 1,
        exclusion: Optional[int] = None,
        left_right: bool = False,
        precision: Optional[str] = None,
        best_channels: int = 0,
        forced_channels: Sequence[int] = (),
        normalize: bool = True,
        p: float = 2.0,
        flat_below: float = 0.0,
        progress: Progress = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
    ) -> None:
        context = context or default_context()
        named: Any = {"k": k, "exclusion": exclusion, "left_right": left_right, "best_channels": best_channels}
        named["forced_channels"] = forced_channels
        named["precision"] = precision or ("double" if context.has_double else "float")
        self._options = options_of({**named, "normalize": normalize, "p": p, "flat_below": flat_below}, progress, max_bytes)
        self.window, self.channels, self.k, self.left_right = number("window", window), channels, k, left_right
        self._handle = handle("ww_profile_stream")
        kept = 0 if keep is None else number("keep", keep)
        if keep == 0:
            raise ValueError("keep is 0: no pair of windows is left")
        number("channels", channels)
        check(lib.ww_profile_stream_create(context._c, channels, self.window, kept, self._options, self._handle))
        self._arrays: Any = None

    @alone
    def push(self, values: Any) -> None:
        """Adds points. Many at a time cost less each. After an error or an interrupt `points` says how many were taken.

        Parameters
        ----------
        values : array_like of shape (count,) or (count, channels)
            The points; NaN and infinity are taken.

        Raises
        ------
        ValueError
            Points of other channels.
        TypeError
            No numbers. What progress raises is raised too.
        """
        values = as_numbers(values)
        values = np.ascontiguousarray(values.reshape(-1, 1) if values.ndim < 2 else values, np.float64)
        if values.ndim != 2 or values.shape[1] != self.channels:
            raise ValueError(f"points of shape {values.shape[1:]}, not of {self.channels} channels")
        self._arrays = None
        check(lib.ww_profile_stream_push(self._handle[0], output(values, "double"), len(values)))

    @property
    @alone
    def points(self) -> int:
        """Points that it has taken."""
        return lib.ww_profile_stream_points(self._handle[0])

    @property
    @alone
    def first(self) -> int:
        """Points that are forgotten: the first window's index."""
        return lib.ww_profile_stream_first(self._handle[0])

    @alone
    def _get(self, name):
        if self._arrays is None:
            shape = lib.ww_profile_stream_windows(self._handle[0]), self.k
            sides = ("", "left_", "right_") if self.left_right else ("",)
            arrays = {side + "distances": np.empty(shape) for side in sides}
            arrays.update({side + "indices": np.empty(shape, np.int64) for side in sides})
            fields = {
                key: output(array, "double" if array.dtype == np.float64 else "int64_t") for key, array in arrays.items()
            }
            check(lib.ww_profile_stream_get(self._handle[0], new("ww_profile_output", **fields)))
            self._arrays = arrays
        return self._arrays.get(name)

    distances = property(lambda self: self._get("distances"), doc="Of the nearest, (windows, k).")
    indices = property(lambda self: self._get("indices"), doc="First points of the nearest, (windows, k).")
    left_distances = property(lambda self: self._get("left_distances"), doc="Of earlier ones; None without left_right.")
    left_indices = property(lambda self: self._get("left_indices"), doc="Of earlier ones; None without left_right.")
    right_distances = property(lambda self: self._get("right_distances"), doc="Of later ones; None without left_right.")
    right_indices = property(lambda self: self._get("right_indices"), doc="Of later ones; None without left_right.")

    def arc_curve(self) -> np.ndarray:
        """The corrected arc curve of the windows kept: with left_right of arcs to later windows (FLOSS), else of all.

        Returns
        -------
        numpy.ndarray
            One value a window, from 0 to 1.

        Raises
        ------
        MemoryError
            Host or device memory is too small.
        """
        indices = self.right_indices if self.left_right else self.indices
        return arcs_of(indices, self.first, self.window, int(self.left_right))

    def regimes(self, count: int = 1, *, separation: Optional[int] = None) -> np.ndarray:
        """Where regimes change: the lowest places of arc_curve(), the lowest first.

        Parameters
        ----------
        count : int
            At most so many.
        separation : int, optional
            No two places are as near; None: 5 windows' points.

        Returns
        -------
        numpy.ndarray
            Indices of windows.

        Raises
        ------
        ValueError
            A count or a separation below 0.
        """
        curve = self.arc_curve()
        return regimes_of(curve, count, 5 * self.window if separation is None else separation) + self.first
