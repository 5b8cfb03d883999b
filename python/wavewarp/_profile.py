# SPDX-License-Identifier: Apache-2.0
"""Matrix profiles, motifs and discords."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from ._arrays import of_argument
from ._context import Context, default_context
from ._core import NULL, Progress, alone, by_name, check, ffi, handle, info, lib, lock_of, new, number, run
from ._dataset import Dataset, dataset
from ._parts import merge_neighbours
from ._results import Motif, Result, ranked
from ._series import SeriesSet, one_array, output, view

# (distances, indices) of the nearest, and with left_right of the earlier and the later ones.
ProfileLists = List[Tuple[np.ndarray, np.ndarray]]


_SIDES = ("", "left_", "right_")


class ProfilePlan:
    """A prepared profile, for work that is divided: profile() plans one and runs the whole.

    Parameters
    ----------
    series, window, other, index, other_index, k, exclusion, left_right, precision, best_channels, forced_channels, normalize, p, flat_below,
    flat, other_flat, share, axes, progress, max_bytes, context
        As of profile().

    Raises
    ------
    ValueError, MemoryError
        What profile() raises.

    Examples
    --------
    >>> series = np.r_[np.arange(20) % 7, 0, 9, 1, 8, np.arange(20) % 7]
    >>> plan = ww.ProfilePlan(series, 6)
    >>> parts = [plan.rectangle(0, 20, 0, 39), plan.rectangle(20, 19, 20, 19)]
    >>> bool((plan.join(parts).distances == plan.run().distances).all())
    True
    >>> plan.distances_of(0).shape
    (39,)
    """

    def __init__(
        self,
        series: Any,
        window: int,
        other=None,
        *,
        index: int = 0,
        other_index: int = 0,
        k: int = 1,
        exclusion: Optional[int] = None,
        left_right: bool = False,
        precision: Optional[str] = None,
        best_channels: int = 0,
        forced_channels: Sequence[int] = (),
        normalize: bool = True,
        p: float = 2.0,
        flat_below: float = 0.0,
        flat=None,
        other_flat=None,
        share: float = 1.0,
        axes: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
    ) -> None:
        made = isinstance(series, Dataset)
        context = series.context if made else context or default_context()
        if precision is None:
            precision = series.precision if made else "double" if context.has_double else "float"
        named = {"k": k, "exclusion": exclusion, "left_right": left_right, "precision": precision}
        named.update(best_channels=best_channels, forced_channels=forced_channels, normalize=normalize, p=p)
        named.update(flat_below=flat_below, share=share)
        self._set_options(named, progress, max_bytes)
        self._handle = handle("ww_profile")
        if made:
            other = None if other is None else dataset(other, axes=axes, precision=precision, context=context)
            sides = [NULL if x is None else x._c for x in (series, other)]
            where: Any = ()
            create = lib.ww_profile_create_from_datasets
        else:
            series, other, views = sides_of(series, other, axes)
            sides = [NULL if x is None else x.c for x in views]
            where, create = (context._c,), lib.ww_profile_create
        window = number("window", window)
        places = number("index", index), number("other_index", other_index)
        flats = []
        for name, mask, of, place in (("flat", flat, series, index), ("other_flat", other_flat, other, other_index)):
            if mask is not None:
                flats.append(flat_windows(name, mask, of, place, window))
                setattr(self._options, name, output(flats[-1], "unsigned char"))
                self._named[name] = flats[-1].astype(bool)
        check(create(*where, sides[0], places[0], sides[1], places[1], window, self._options, self._handle))
        self._remake = held(series, index), window, held(other, other_index), self._named

    def _set_options(self, named, progress, max_bytes):
        self._named = named
        self.k, self.left_right = named["k"], named["left_right"]
        self._options = options_of(named, progress, max_bytes)

    @alone
    def run(self) -> Profile:
        """Computes the whole profile.

        Returns
        -------
        Profile

        Raises
        ------
        MemoryError
            Host or device memory is too small. What progress raises is raised too.
        """
        lists, to = self._lists()
        check(lib.ww_profile_run(self._handle[0], to))
        return Profile(self, lists)

    @alone
    def rectangle(self, row: int, rows: int, column: int, columns: int, *, add: bool = False) -> ProfileLists:
        """Computes a part: windows [row, row + rows) with windows [column, column + columns), for join().

        Of one series those on and above the diagonal are the whole. No rows: an empty part.

        Parameters
        ----------
        row, rows, column, columns : int
            The first windows, and how many there are.
        add : bool
            The lists are of all rectangles of the plan so far, which makes many of them faster.

        Returns
        -------
        list of (numpy.ndarray, numpy.ndarray)
            Squared distances and indices, of the nearest and with left_right of earlier and later ones.

        Raises
        ------
        ValueError
            It is not inside.
        """
        row, rows, column, columns = map(number, ("row", "rows", "column", "columns"), (row, rows, column, columns))
        lists, to = self._lists()
        run = lib.ww_profile_add_rectangle if add else lib.ww_profile_run_rectangle
        check(run(self._handle[0], row, rows, column, columns, to))
        return lists

    def join(self, parts: Iterable[ProfileLists]) -> Profile:
        """The profile of parts: that of the whole, bit for bit, where they are the whole. Parts pickle.

        Parameters
        ----------
        parts : iterable
            What rectangle() gave.

        Returns
        -------
        Profile

        Raises
        ------
        ValueError
            Parts of other windows or another k.
        """
        whole = self.rectangle(0, 0, 0, 0)
        for part in parts:
            whole = [merge_neighbours(a, b) for a, b in zip(whole, part)]
        return Profile(self, [(np.sqrt(squares), indices) for squares, indices in whole])

    def _lists(self):
        windows = self.info.windows
        lists = [
            (np.empty((windows, self.k)), np.empty((windows, self.k), np.int64))
            for side in (_SIDES if self.left_right else _SIDES[:1])
        ]
        fields = {}
        for side, (distances, indices) in zip(_SIDES, lists):
            fields[side + "distances"] = output(distances, "double")
            fields[side + "indices"] = output(indices, "int64_t")
        return lists, new("ww_profile_output", **fields)

    @property
    @alone
    def info(self) -> SimpleNamespace:
        """A record: windows, exclusion, pairs, launches, seconds_device, ..."""
        record = new("ww_profile_info")
        check(lib.ww_profile_get_info(self._handle[0], record))
        return info(record)

    @alone
    def distances_of(self, window: int) -> np.ndarray:
        """A distance profile: the distances of one window to all windows.

        Parameters
        ----------
        window : int
            The window.

        Returns
        -------
        numpy.ndarray
            float64; infinity within the exclusion.

        Raises
        ------
        ValueError
            There is no such window.
        """
        values = np.empty(self.info.other_windows)
        check(lib.ww_profile_get_distances(self._handle[0], number("window", window), output(values, "double")))
        return values


class Profile(Result):
    """The nearest windows of every window: what profile() returns.

    A profile pickles, with a copy of its series. The copy has the arrays and info at once; for its methods the plan is
    made again by the default context.

    Attributes
    ----------
    distances, indices : numpy.ndarray of shape (windows, k)
        Nearest first; infinity and index -1 where there are fewer.
    left_distances, left_indices, right_distances, right_indices
        Among earlier and later windows; None without left_right.
    info : types.SimpleNamespace
        ProfilePlan.info of the run that made it.

    Examples
    --------
    >>> series = np.r_[np.arange(20) % 7, 0, 9, 1, 8, np.arange(20) % 7]
    >>> made = ww.profile(series, 6, left_right=True)
    >>> made.distances_of(0).shape, made.arc_curve().shape
    ((39,), (39,))
    >>> motif = made.motifs(1)[0]
    >>> motif.first, motif.second, made.channels_of(motif.first).tolist()
    (0, 7, [0])
    >>> made.discords(1).tolist(), made.regimes(0).tolist(), made.stumpy().shape
    ([18], [], (39, 4))
    """

    def __init__(self, plan: ProfilePlan, lists: ProfileLists) -> None:
        self._plan: Optional[ProfilePlan] = plan
        self._remake = plan._remake
        self.info = plan.info
        sides: Any = [*lists, *[(None, None)] * (3 - len(lists))]
        self.distances, self.indices = sides[0]
        self.left_distances, self.left_indices = sides[1]
        self.right_distances, self.right_indices = sides[2]

    @property
    def plan(self) -> ProfilePlan:
        """The plan that made it; of a copy the same one of the default context, made when it is first needed."""
        if self._plan is None:
            series, window, other, options = self._remake
            if not default_context().has_double:
                options = {**options, "precision": "float"}
            self._plan = ProfilePlan(series, window, other, axes="ct", **options)
        return self._plan

    def distances_of(self, window: int) -> np.ndarray:
        """As of ProfilePlan.distances_of().

        Parameters
        ----------
        window : int
            The window.

        Returns
        -------
        numpy.ndarray

        Raises
        ------
        ValueError
            There is no such window.
        """
        return self.plan.distances_of(window)

    def channels_of(self, window: int, neighbour: int = 0) -> np.ndarray:
        """The channels that count in the distance of a window to a neighbour, the nearest first: best_channels of them.

        Parameters
        ----------
        window : int
            The window.
        neighbour : int
            Which of its k neighbours, from 0.

        Returns
        -------
        numpy.ndarray

        Raises
        ------
        ValueError
            There is no such window or neighbour.
        """
        if not (0 <= window < len(self.indices) and 0 <= neighbour < self.indices.shape[1]):
            raise ValueError(f"neighbour {neighbour} of window {window}; there are {self.indices.shape}")
        other = int(self.indices[window, neighbour])
        if other < 0:
            raise ValueError(f"window {window} has no neighbour {neighbour}")
        plan, (series, *_, options) = self.plan, self._remake
        distances = np.empty(len(series))
        with lock_of(plan):
            check(lib.ww_profile_get_channels(plan._handle[0], window, other, output(distances, "double")))
        best, forced = options["best_channels"] or len(series), sorted(set(options["forced_channels"]))
        others = np.setdiff1d(np.argsort(distances, kind="stable"), forced, assume_unique=True)
        chosen = np.r_[forced, others[: best - len(forced)]].astype(int) if best < len(series) else np.arange(len(series))
        return chosen[np.argsort(distances[chosen], kind="stable")]

    def motifs(
        self, count: int = 3, *, radius=3.0, within: Optional[float] = None, separation: Optional[int] = None
    ) -> list:
        """The nearest pairs of windows, with all windows near them.

        Parameters
        ----------
        count : int
            At most so many.
        radius : float
            Neighbours are no farther than so many times the pair's distance; infinity: all windows.
        within : float, optional
            Neighbours may also be as far as this, since a pair of equal windows has the distance 0; None: the distance
            of windows of correlation 0.999. With a radius of 0 it counts alone.
        separation : int, optional
            Windows this near to a motif's are in no later one; None: the exclusion.

        Returns
        -------
        list of Motif

        Raises
        ------
        ValueError
            A profile of two series; a count, a radius, a distance or a separation below 0, or NaN.
        """
        motifs, found = ffi.new("ww_profile_motif[]", number("count", count)), ffi.new("size_t *")
        plan = self.plan
        with lock_of(plan):
            check(
                lib.ww_profile_find_motifs_within(
                    plan._handle[0],
                    output(self.distances, "double"),
                    output(self.indices, "int64_t"),
                    _separation(separation),
                    float(radius),
                    -1.0 if within is None else _within(within),
                    count,
                    motifs,
                    found,
                )
            )
        result = []
        for motif in motifs[0 : found[0]]:
            near = np.array(ffi.unpack(motif.neighbours, motif.count) if motif.count else [], np.int64)
            result.append(Motif(**vars(info(ffi.addressof(motif))), neighbours=near))
        lib.ww_profile_motifs_free(motifs, found[0])
        return result

    def discords(self, count: int = 3, *, separation: Optional[int] = None) -> np.ndarray:
        """Windows whose nearest neighbour is the farthest, the farthest first.

        Parameters
        ----------
        count : int
            At most so many.
        separation : int, optional
            As of motifs().

        Returns
        -------
        numpy.ndarray
            Indices of windows.

        Raises
        ------
        ValueError
            A count or a separation below 0.
        """
        windows, found = np.empty(number("count", count), np.int64), ffi.new("size_t *")
        plan = self.plan
        with lock_of(plan):
            check(
                lib.ww_profile_find_discords(
                    plan._handle[0],
                    output(self.distances, "double"),
                    _separation(separation),
                    count,
                    output(windows, "int64_t"),
                    found,
                )
            )
        return windows[: found[0]]

    def arc_curve(self) -> np.ndarray:
        """The corrected arc curve (FLUSS): low where the series changes its regime, 1 at most and near both ends.

        Returns
        -------
        numpy.ndarray
            One value a window.

        Raises
        ------
        ValueError
            A profile of two series.
        """
        if self._remake[2] is not None:
            raise ValueError("arcs are from windows of one series to their nearest; this profile is of two")
        return arcs_of(self.indices, 0, self._remake[1], 0)

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
            A profile of two series; a count or a separation below 0.
        """
        return regimes_of(self.arc_curve(), count, 5 * self._remake[1] if separation is None else separation)

    def stumpy(self) -> np.ndarray:
        """The profile as stumpy.stump() returns it. A profile of one series needs left_right; against another series
        the last two columns are -1, as stumpy's are.

        Returns
        -------
        numpy.ndarray
            Columns distance, index, left index, right index.

        Raises
        ------
        ValueError
            Of a series with itself, made without left_right.
        """
        if self._remake[2] is not None:
            sides = [np.full((len(self.distances), 2), -1)]
        elif self.left_indices is None:
            raise ValueError("stumpy's columns have left and right indices: pass left_right=True")
        else:
            sides = [self.left_indices[:, :1], self.right_indices[:, :1]]
        columns = [self.distances, self.indices, *sides]
        return np.concatenate([column.astype(object) for column in columns], axis=1)

    def __getstate__(self):
        return {**self.__dict__, "_plan": None}

    @property
    def measure(self) -> str:
        """What the distances are: of z-normalised windows, or of windows as they are."""
        named = self._remake[3]
        return "z-normalised windows, with the root" if named["normalize"] else f"windows as they are, p = {named['p']:g}"

    def _told(self):
        _, window, other, _ = self._remake
        of = "of a series" if other is None else "of a series against another one"
        count, k = self.distances.shape
        sides = ", earlier and later ones too" if self.left_indices is not None else ""
        return f"{count} windows of {window} points {of}, {k} nearest each{sides}"

    def _columns(self):
        return ranked("window", self.distances, self.indices)

    def _draw(self, ax):
        importlib.import_module("wavewarp.plot").profile(self, motifs=int(self._remake[2] is None), ax=ax)


def options_of(named, progress, max_bytes):
    """The library's options of what a profile or a stream of one was asked for."""
    exclusion, norm = named["exclusion"], float(named["p"])
    if not norm >= 1:
        raise ValueError(f"p is {norm}; it must be 1 or more")
    if named["normalize"] and norm != 2:
        raise ValueError("normalised windows have the 2-norm: pass normalize=False with another p")
    share = float(named.get("share", 1.0))
    if not 0 < share <= 1:
        raise ValueError(f"share is {share}; it must be above 0 and at most 1")
    forced = {number("a forced channel", channel) for channel in named["forced_channels"]}
    if forced and max(forced) > 31:
        raise ValueError(f"forced channel {max(forced)}; channels from 0 to 31 may be forced")
    return new(
        "ww_profile_options",
        k=named["k"],
        left_right=bool(named["left_right"]),
        precision=by_name("ww_precision", named["precision"]),
        exclusion=lib.WW_PROFILE_EXCLUSION_AUTO if exclusion is None else exclusion,
        best_channels=named["best_channels"],
        forced_channels=sum(1 << channel for channel in forced),
        p=0.0 if named["normalize"] else norm,
        flat_below=float(named["flat_below"]),
        share=share,
        run=run(progress, max_bytes),
    )


def flat_windows(name, mask, series, index, window):
    """A value for each window of each channel, as the library takes them."""
    if series is None:
        raise ValueError(f"{name} is of a second series, and there is none")
    sets = series.to_set() if hasattr(series, "to_set") else series
    channels, points = np.shape(sets[number("index", index)] if isinstance(sets, SeriesSet) else sets)
    mask, wanted = np.atleast_2d(np.asarray(mask)), (channels, max(points - window + 1, 0))
    if mask.dtype != bool or mask.shape != wanted:
        raise ValueError(f"{name} is of {mask.dtype} and shape {mask.shape}; it has a bool for each window, {wanted}")
    return np.ascontiguousarray(mask, np.uint8)


def arcs_of(indices, first, window, later):
    """The corrected arc curve of nearest windows, one for each window."""
    indices = np.ascontiguousarray(indices, np.int64)
    curve = np.empty(len(indices))
    k = indices.shape[1]
    check(lib.ww_profile_get_arcs(len(curve), k, output(indices, "int64_t"), first, window, later, output(curve, "double")))
    return curve


def regimes_of(curve, count, separation):
    """The lowest places of an arc curve."""
    places, found = np.empty(number("count", count), np.int64), ffi.new("size_t *")
    separation = number("separation", separation)
    check(
        lib.ww_profile_find_regimes(
            len(curve), output(curve, "double"), separation, count, output(places, "int64_t"), found
        )
    )
    return places[: found[0]]


def sides_of(series, other, axes):
    """Both sides as a set, or as arrays (channel, time) of one series, and the views of these."""
    sides = [
        x if x is None or isinstance(x, SeriesSet) else of_argument(name, one_array, x, axes)
        for name, x in (("series", series), ("other", other))
    ]
    views = [x if x is None else view(x if isinstance(x, SeriesSet) else x[None], "nct") for x in sides]
    return [*sides, views]


def held(values, index):
    """A copy of one series, of shape (channel, time): what is written to it later changes no profile."""
    if values is None:
        return None
    if hasattr(values, "to_set"):
        values = values.to_set()
    return values[index] if isinstance(values, SeriesSet) else np.array(values)


def _within(value):
    if not value >= 0:
        raise ValueError(f"within is {value}; it must be a distance of 0 or more")
    return float(value)


def _separation(value):
    return lib.WW_PROFILE_EXCLUSION_AUTO if value is None else number("separation", value)


def profile(
    series: Any,
    window: int,
    other=None,
    *,
    index: int = 0,
    other_index: int = 0,
    k: int = 1,
    exclusion: Optional[int] = None,
    left_right: bool = False,
    precision: Optional[str] = None,
    best_channels: int = 0,
    forced_channels: Sequence[int] = (),
    normalize: bool = True,
    p: float = 2.0,
    flat_below: float = 0.0,
    flat=None,
    other_flat=None,
    share: float = 1.0,
    axes: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
) -> Profile:
    """The matrix profile of a series, or against another one: distances with the root, of z-normalised windows or raw ones.

    Raw windows are taken as they are. Deviations are those of the population, as stumpy's.

    Parameters
    ----------
    series, other : array_like of shape (time,) or (channel, time), SeriesSet or Dataset
        NaN and infinity are allowed: a window with one has no neighbours. `other` None: the windows of `series` with
        each other.
    window : int
        Points of a window.
    index, other_index : int
        Which series of a SeriesSet or Dataset.
    k : int
        Neighbours a window.
    exclusion : int, optional
        Windows this near in one series are no neighbours; None: a quarter of the window, rounded up.
    left_right : bool
        Also the nearest earlier and later windows.
    best_channels : int
        Number of channels that count for a pair of windows: those in which the two are nearest. 0: all.
    forced_channels : sequence of int
        Channels that are always among the best_channels that count.
    normalize : bool
        False: windows as they are, as stumpy.aamp() compares them.
    p : float
        Without `normalize`: p of the norm, 1 or more, infinity too.
    flat_below : float
        Windows of a smaller deviation in a channel count as constant there, besides those that are.
    flat, other_flat : array_like of bool, shape (windows,) or (channel, windows), optional
        True: the window counts as constant.
    share : float
        Below 1: only about this share of all lags is compared, spread evenly, as stumpy.scrump() compares some. No distance
        is less than the profile's.
    precision : "float" or "double", optional
        Of the search; the distances found are computed in double.
    axes, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.

    Returns
    -------
    Profile

    Raises
    ------
    ValueError
        A window below 3 points or longer than a series; `k` outside 1 to 64; an exclusion that leaves no pair; series of
        different channels; `p` below 1, or not 2 with `normalize`; `flat_below` below 0; `share` not above 0 and up to 1; forced channels that are not or do not fit best_channels; flat
        windows without `normalize` or of another shape; `left_right` or a Dataset's precision that does not fit; an index that there is not.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> series = np.r_[np.arange(20) % 7, 0, 9, 1, 8, np.arange(20) % 7]
    >>> made = ww.profile(series, 6)
    >>> made.distances.shape, made.motifs(1)[0].distance, made.discords(1).tolist()
    ((39, 1), 0.0, [18])
    >>> ww.profile(series, 6, normalize=False, p=1).discords(1).tolist()
    [19]
    """
    plan = ProfilePlan(
        series,
        window,
        other,
        index=index,
        other_index=other_index,
        k=k,
        exclusion=exclusion,
        left_right=left_right,
        precision=precision,
        best_channels=best_channels,
        forced_channels=forced_channels,
        normalize=normalize,
        p=p,
        flat_below=flat_below,
        flat=flat,
        other_flat=other_flat,
        share=share,
        axes=axes,
        progress=progress,
        max_bytes=max_bytes,
        context=context,
    )
    return plan.run()
