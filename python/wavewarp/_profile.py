# SPDX-License-Identifier: Apache-2.0
"""Matrix profiles, motifs and discords."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Optional

import numpy as np

from ._context import Context, default_context
from ._core import NULL, Progress, by_name, check, ffi, handle, info, lib, new, run
from ._series import one_series, output


class Profile:
    """The nearest windows of every window: what profile() returns.

    distances, indices: (windows, k), nearest first; index -1 and infinity where there are fewer. left_distances,
    left_indices, right_distances, right_indices: among earlier and later windows, where asked for, else None.
    """

    def __init__(
        self,
        series: Any,
        window: int,
        other=None,
        *,
        k: int = 1,
        exclusion: Optional[int] = None,
        left_right: bool = False,
        precision: Optional[str] = "double",
        best_channels: int = 0,
        axes: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
    ) -> None:
        context = context or default_context()
        if precision == "double" and not context.has_double:
            precision = "float"
        views = [None if x is None else one_series(x, axes) for x in (series, other)]
        self._options = new(
            "ww_profile_options",
            k=k,
            left_right=bool(left_right),
            precision=by_name("ww_precision", precision),
            exclusion=lib.WW_PROFILE_EXCLUSION_AUTO if exclusion is None else exclusion,
            best_channels=best_channels,
            run=run(progress, max_bytes),
        )
        self._handle = handle("ww_profile")
        check(
            lib.ww_profile_create(
                context._c,
                views[0].c,
                0,
                views[1].c if other is not None else NULL,
                0,
                window,
                self._options,
                self._handle,
            )
        )
        windows = self.info.windows
        names = ("", "left_", "right_") if left_right else ("",)
        fields = {}
        self.left_distances = self.left_indices = self.right_distances = self.right_indices = None
        for side in names:
            distances, indices = np.empty((windows, k)), np.empty((windows, k), np.int64)
            setattr(self, side + "distances", distances)
            setattr(self, side + "indices", indices)
            fields[side + "distances"] = output(distances, "double")
            fields[side + "indices"] = output(indices, "int64_t")
        check(lib.ww_profile_run(self._handle[0], new("ww_profile_output", **fields)))

    @property
    def info(self) -> SimpleNamespace:
        """A record: windows, exclusion, pairs, launches, seconds_device, ..."""
        record = new("ww_profile_info")
        check(lib.ww_profile_get_info(self._handle[0], record))
        return info(record)

    def distances_of(self, window: int) -> np.ndarray:
        """The distances of one window to all windows (a distance profile), in double."""
        values = np.empty(self.info.other_windows)
        check(lib.ww_profile_get_distances(self._handle[0], window, output(values, "double")))
        return values

    def motifs(self, count: int = 3, *, radius=3.0, separation: Optional[int] = None) -> list:
        """The nearest pairs with all windows near them: records of first, second, distance, neighbours.

        radius: neighbours are no farther than so many times the pair's distance; 0: pairs alone.
        """
        motifs, found = ffi.new("ww_profile_motif[]", count), ffi.new("size_t *")
        check(
            lib.ww_profile_find_motifs(
                self._handle[0],
                output(self.distances, "double"),
                output(self.indices, "int64_t"),
                _separation(separation),
                radius,
                count,
                motifs,
                found,
            )
        )
        result = []
        for motif in motifs[0 : found[0]]:
            told = info(ffi.addressof(motif))
            told.neighbours = np.array(ffi.unpack(motif.neighbours, motif.count) if motif.count else [], np.int64)
            result.append(told)
        lib.ww_profile_motifs_free(motifs, found[0])
        return result

    def discords(self, count: int = 3, *, separation: Optional[int] = None) -> np.ndarray:
        """Windows whose nearest neighbour is the farthest, the farthest first."""
        windows, found = np.empty(count, np.int64), ffi.new("size_t *")
        check(
            lib.ww_profile_find_discords(
                self._handle[0],
                output(self.distances, "double"),
                _separation(separation),
                count,
                output(windows, "int64_t"),
                found,
            )
        )
        return windows[: found[0]]

    def stumpy(self) -> np.ndarray:
        """As stumpy.stump() has it: columns are distances, indices, left index, right index; needs left_right."""
        if self.left_indices is None:
            raise ValueError("stumpy's columns have left and right indices: pass left_right=True")
        columns = [self.distances, self.indices, self.left_indices[:, :1], self.right_indices[:, :1]]
        return np.concatenate([column.astype(object) for column in columns], axis=1)


def _separation(value):
    return lib.WW_PROFILE_EXCLUSION_AUTO if value is None else value


def profile(series: Any, window: int, other=None, **options) -> Profile:
    """The matrix profile of a series, or against another one: a Profile.

    series: (time,) or (channel, time). window: points. k: neighbours a window. exclusion: windows this near in one
    series are no neighbours; None: a quarter of the window, rounded up. left_right: also the nearest earlier and later.
    precision: of the search; the distances found are computed in double. best_channels: 0 all, else so many of them.
    Distances are of z-normalised windows (population deviation), as stumpy's.
    """
    return Profile(series, window, other, **options)
