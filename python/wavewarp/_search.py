# SPDX-License-Identifier: Apache-2.0
"""Queries in streams: the best matches of short series in long ones."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._arrays import as_numbers, of_argument, whole
from ._context import Context, default_context
from ._core import NULL, Progress, alone, by_name, callback, check, ffi, handle, info, keep, lib, new, number, run, word
from ._dataset import Dataset
from ._frames import frame_one, library_of
from ._measure import MeasureLike, Options
from ._measure import measure as as_measure
from ._results import MATCH, REPORT, Matches, as_matches, many
from ._series import as_set, pointer, precision_of, sizes, view

if TYPE_CHECKING:
    from typing_extensions import Unpack

assert MATCH.itemsize == ffi.sizeof("ww_match")


class Source:
    """A stream of any length that is read in blocks while it is searched.

    Parameters
    ----------
    read : callable or array_like
        A function of (first, count) that returns `count` points, of shape (count,) or (count, channels); or an array or
        np.memmap of shape (time,) or (time, channels), from which blocks are taken. What the function raises ends the search.
    length : int, optional
        Points, of a function; an array says it itself, and so `channels` and `dtype`.
    channels : int
        Of each point.
    dtype : dtype
        float32 or float64.

    Raises
    ------
    ValueError
        No length, one below 0, more than two axes; in the search, blocks of another shape.
    TypeError
        Another dtype.

    Examples
    --------
    >>> source = ww.Source(lambda first, count: np.arange(first, first + count) % 7.0, 1000)
    >>> int(ww.search([4.0, 5, 6], source)["begin"][0])
    4
    """

    def __init__(self, read, length=None, *, channels=1, dtype=np.float64) -> None:
        if not callable(read):
            array = read if type(read) in (np.ndarray, np.memmap) else _stream(read)
            if array.ndim not in (1, 2):
                raise ValueError(f"a stream has shape (time,) or (time, channels), not {array.shape}")
            length, channels = len(array), 1 if array.ndim == 1 else array.shape[1]
            dtype = np.float32 if array.dtype == np.float32 else np.float64
            read = functools.partial(_block, array)
        if length is None:
            raise ValueError("a function that reads needs the stream's length")
        self.read, self.length = read, number("length", length)
        self.channels, self.dtype = number("channels", channels), np.dtype(dtype)
        self._raised: Optional[BaseException] = None  # by read(), in a thread of the library
        if self.dtype not in (np.float32, np.float64):
            raise TypeError("dtype has to be float32 or float64")

    def c(self, concurrent: bool = False):
        """The library's source; concurrent: threads of the library call read(), one at a time."""
        user = ffi.new_handle(self)
        return keep(
            new(
                "ww_search_source",
                length=self.length,
                channels=self.channels,
                precision=precision_of(self.dtype),
                read=lib.py_search_read_fn,
                user=user,
                concurrent=int(concurrent),
            ),
            user,
        )

    def _give(self, first, count, values):
        block = np.asarray(self.read(first, count), self.dtype)
        if block.shape not in ((count, self.channels), *([(count,)] if self.channels == 1 else [])):
            raise ValueError(f"read({first}, {count}) gave shape {block.shape}, not {(count, self.channels)}")
        block = np.ascontiguousarray(block)
        ffi.memmove(values, pointer(block), block.nbytes)


def _stream(values):
    """An array (time,) or (time, channels) of what is no array of NumPy's: of a table rows are points."""
    if library_of(values):
        return frame_one(values, "tc", as_numbers).T
    return values if hasattr(values, "ndim") else as_numbers(values)


def _block(array, first, count):
    return array[first : first + count]


@callback(error=1)
def py_search_read_fn(user, first, count: int, values: Any):
    source = ffi.from_handle(user)
    try:
        source._give(first, count, values)
    except BaseException as error:
        source._raised = error
        return 1
    return 0


def _check(source, status):
    """As check(), after a call that reads a source, maybe in other threads."""
    raised, source._raised = source._raised, None
    if raised is not None and status != lib.WW_OK:
        raise raised
    check(status)


@callback(error=1)
def py_match_fn(user, query, match):
    ffi.from_handle(user).append((query, match.stream, match.begin, match.end, match.distance))
    return 0


def search_options(kind, znormalise, k, exclusion, threshold, no_bounds, precision, limits):
    kind = kind or ("windows" if znormalise else "open")
    return new(
        "ww_search_options",
        kind=word("ww_search_kind", kind),
        znormalise=bool(znormalise),
        k=k,
        exclusion=lib.WW_SEARCH_HALF if exclusion is None else exclusion,
        has_threshold=int(threshold is not None),
        threshold=threshold,
        no_bounds=bool(no_bounds),
        precision=by_name("ww_precision", precision),
        run=run(**limits),
    )


class Search:
    """A prepared search for queries, for any number of streams. search() makes one and runs it.

    Parameters
    ----------
    queries, measure, kind, znormalise, k, exclusion, threshold, no_bounds, precision, axes, progress, max_bytes, context, parameters
        As of search().

    Raises
    ------
    ValueError, MemoryError
        What search() raises.

    Examples
    --------
    >>> search = ww.Search([0.0, 3, 0], kind="windows", k=2, exclusion=1)
    >>> stream = np.tile([1.0, 0, 3, 0, 1, 1, 1, 1], 16)
    >>> whole = search.run(stream)
    >>> whole["begin"].tolist()
    [[1, 9]]
    """

    def __init__(
        self,
        queries,
        measure: MeasureLike = "dtw",
        *,
        kind=None,
        znormalise: bool = False,
        k: int = 1,
        exclusion: Optional[int] = None,
        threshold=None,
        no_bounds: bool = False,
        precision: Optional[str] = "double",
        axes: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
        **parameters: Unpack[Options],
    ) -> None:
        context = context or default_context()
        if precision == "double" and not context.has_double:
            precision = "float"
        queries = of_argument("queries", view, as_set(queries)[0], axes)
        self.k, self.count, self._axes, self._part = k, queries.count, axes, False
        apart = (queries.longest + 1) // 2 if exclusion is None else exclusion
        self._places = lib.ww_search_places(number("k", k), number("exclusion", apart))
        limits = {"progress": progress, "max_bytes": max_bytes}
        self._options = search_options(kind, znormalise, k, exclusion, threshold, no_bounds, precision, limits)
        self._handle = handle("ww_search")
        made = as_measure(measure, parameters)
        self._said = f"{made.said}, windows z-normalised" if znormalise else made.said
        self._several = len(context) > 1
        check(lib.ww_search_create(context._c, made.c(queries.longest), queries.c, self._options, self._handle))

    def _viewed(self, streams):
        return of_argument("streams", view, as_set(streams)[0], self._axes)

    @alone
    def run(self, streams, *, stream_offset: int = 0, point_offset: int = 0) -> Matches:
        """Searches all streams.

        Parameters
        ----------
        streams : a set of series, Source or Dataset
            A Dataset, of the search's context and precision, stays on the device from one search to the next.
        stream_offset, point_offset : int
            The number of the first stream and of its first point in a whole that is searched in parts: matches count
            from there. See search_places().

        Returns
        -------
        Matches
            Records (stream, begin, end, distance) of shape (queries, k), best first; stream -1 where there are fewer.

        Raises
        ------
        ValueError
            Streams of other channels; a Dataset of another context or precision; an offset below 0. What progress and a
            Source's read raise is raised too.
        """
        if stream_offset or point_offset or self._part:
            part = new("ww_search_part", stream_offset=stream_offset, point_offset=point_offset)
            check(lib.ww_search_set_part(self._handle[0], part))
            self._part = bool(stream_offset or point_offset)
        matches = np.empty((self.count, self.k), MATCH)
        found = ffi.cast("ww_match *", pointer(matches))
        if isinstance(streams, Source):
            _check(streams, lib.ww_search_run_source(self._handle[0], streams.c(self._several), found, NULL))
        elif isinstance(streams, Dataset):
            check(lib.ww_search_run_dataset(self._handle[0], streams._c, found, NULL))
        else:
            check(lib.ww_search_run(self._handle[0], self._viewed(streams).c, found, NULL))
        return as_matches(matches, self._said)

    def __repr__(self):
        return f"<wavewarp.Search for {many(self.count, 'query', 'queries')}, {self.k} nearest each; {self._said}>"

    @property
    @alone
    def info(self) -> SimpleNamespace:
        """What the last run did: places, what each bound excluded, cells, seconds_device, ..."""
        record = new("ww_search_info")
        check(lib.ww_search_get_info(self._handle[0], record))
        return info(record)


def search(
    queries,
    streams,
    measure: MeasureLike = "dtw",
    *,
    kind: Optional[str] = None,
    znormalise: bool = False,
    k: int = 1,
    exclusion: Optional[int] = None,
    threshold: Optional[float] = None,
    no_bounds: bool = False,
    precision: Optional[str] = "double",
    axes: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> Matches:
    """The best matches of queries in streams, at distances without a root unless the measure has root=True.

    Parameters
    ----------
    queries : array_like of shape (time,), or a set of series
        One series alone, or a set.
    streams : array_like of shape (time,), a set of series, Source or Dataset
        Where to search; a match has no NaN.
    measure : Measure or str
        measures() lists the names.
    kind : "windows", "open" or "super", optional
        Matches of the query's length; parts of any length; whole streams in the queries. None: windows with `znormalise`,
        else open.
    znormalise : bool
        Each window by its own mean and deviation, so that level and scale do not matter.
    k : int
        Matches a query.
    exclusion : int, optional
        Two matches are no closer than so many points; None: half of the query.
    threshold : float, optional
        The largest distance.
    no_bounds : bool
        Computes every distance; results are the same.
    axes, precision, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``root=True``, ``c=0.5``.

    Returns
    -------
    Matches
        Records (stream, begin, end, distance) of shape (queries, k), best first, stream -1 where there are fewer; of shape
        (k,) where `queries` is one series alone.

    Raises
    ------
    ValueError
        `k` outside 1 to 4096; `kind`; `znormalise` or gamma with open ends; queries with NaN; streams of other channels;
        a threshold of NaN. What progress and a Source's read raise is raised too.
    MemoryError
        Not even a part of the streams fits.

    Examples
    --------
    >>> stream = np.sin(np.arange(60) / 3.0)
    >>> found = ww.search(stream[10:20], stream, znormalise=True, k=2)
    >>> found["begin"].tolist(), bool(found["distance"][0] < 1e-9)
    ([10, 29], True)
    """
    made = Search(
        queries,
        measure,
        kind=kind,
        znormalise=znormalise,
        k=k,
        exclusion=exclusion,
        threshold=threshold,
        no_bounds=no_bounds,
        precision=precision,
        axes=axes,
        progress=progress,
        max_bytes=max_bytes,
        context=context,
        **parameters,
    )
    found = made.run(streams)
    return found[0] if as_set(queries)[1] else found


def search_places(k: int, exclusion: int) -> int:
    """How many places of a part may be needed for k matches of the whole, at least `exclusion` points apart.

    To search a stream in parts, search each with ``k=search_places(k, exclusion)`` and ``exclusion=0``. merge_matches() joins
    the parts, and choose_matches() chooses. The matches are those of the whole, bit for bit. docs/scale.md says where a stream
    may be cut.

    Parameters
    ----------
    k, exclusion : int
        Of the search of the whole.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        k or exclusion below 0.
    TypeError
        No whole number.

    Examples
    --------
    >>> stream, query, k, exclusion = np.sin(np.arange(90) / 3), np.sin(np.arange(20) / 3), 2, 10
    >>> kinds = dict(kind="windows", k=ww.search_places(k, exclusion), exclusion=0)
    >>> plan = ww.Search(query, **kinds)
    >>> parts = [plan.run(stream[:59]), plan.run(stream[40:], point_offset=40)]
    >>> found = ww.choose_matches(ww.merge_matches(*parts), k, exclusion)[0]
    >>> found["begin"].tolist() == ww.search(query, stream, kind="windows", k=k, exclusion=exclusion)["begin"].tolist()
    True
    """
    return lib.ww_search_places(number("k", k), number("exclusion", exclusion))


def _matches(values):
    made = np.array(values, MATCH, order="C")
    if made.ndim != 2:
        raise ValueError(f"matches have shape (queries, places), not {made.shape}")
    return made, ffi.cast("ww_match *", pointer(made))


def merge_matches(first, second, *, similarity: bool = False) -> np.ndarray:
    """Joins the matches of two parts: for each query the best of both.

    Parameters
    ----------
    first, second : ndarray of shape (queries, places)
        Records as search() gives them.
    similarity : bool
        The largest are the best.

    Returns
    -------
    ndarray of shape (queries, places)

    Raises
    ------
    ValueError
        Shapes that differ, or are not (queries, places).

    Examples
    --------
    >>> search = ww.Search([0.0, 3, 0], kind="windows", k=2, exclusion=0)
    >>> parts = [search.run([1.0, 0, 3, 1]), search.run([0.0, 3, 0], point_offset=9)]
    >>> ww.merge_matches(*parts)["begin"].tolist()
    [[9, 1]]
    """
    (made, to), (other, more) = _matches(first), _matches(second)
    if made.shape != other.shape:
        raise ValueError(f"matches of shapes {made.shape} and {other.shape}")
    check(lib.ww_matches_merge(*made.shape, bool(similarity), to, more))
    return made


def choose_matches(matches, k: int, exclusions, *, similarity: bool = False) -> np.ndarray:
    """The k matches of each query that the search of the whole gives.

    Parameters
    ----------
    matches : ndarray of shape (queries, places)
        Merged places of all parts.
    k : int
        Matches a query.
    exclusions : int or sequence of int
        Points, one for all queries or one for each.
    similarity : bool
        The largest are the best.

    Returns
    -------
    ndarray of shape (queries, k)

    Raises
    ------
    ValueError
        k below 1; fewer places than k matches with these exclusions may need; another number of exclusions.

    Examples
    --------
    >>> found = ww.search([[0.0, 3, 0]], [0.0, 3, 0, 3, 0], kind="windows", k=3, exclusion=0)
    >>> ww.choose_matches(found, 1, 2)["begin"].tolist()
    [[0]]
    """
    made, places = _matches(matches)
    apart = np.broadcast_to(whole("exclusions", exclusions), made.shape[:1])
    chosen = np.empty((len(made), k), MATCH)
    to = ffi.cast("ww_match *", pointer(chosen))
    check(lib.ww_matches_choose(*made.shape, places, k, sizes(apart), bool(similarity), to, NULL))
    return chosen


class Monitor:
    """A search in a stream that arrives point by point. It reports each match within the threshold once.

    Parameters
    ----------
    queries
        What search() takes.
    threshold : float
        The farthest match that is reported.
    measure, kind, znormalise, exclusion, no_bounds, precision, axes, max_bytes, context, parameters
        As of search().

    Raises
    ------
    ValueError
        kind "super", which needs a stream's end; a threshold of NaN; what search() refuses.

    Examples
    --------
    >>> monitor = ww.Monitor([0.0, 3, 0], 0.5)
    >>> matches = [*monitor.push([1.0, 0, 3]), *monitor.push([0.0, 1, 1]), *monitor.finish()]
    >>> [(int(m["begin"]), int(m["end"])) for m in matches], monitor.delay()
    ([(1, 4)], 1)
    """

    def __init__(
        self,
        queries,
        threshold,
        measure: MeasureLike = "dtw",
        *,
        kind=None,
        znormalise: bool = False,
        exclusion: Optional[int] = None,
        no_bounds: bool = False,
        precision: Optional[str] = "double",
        axes: Optional[str] = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
        **parameters: Unpack[Options],
    ) -> None:
        context = context or default_context()
        if precision == "double" and not context.has_double:
            precision = "float"
        queries = of_argument("queries", view, as_set(queries)[0], axes)
        self.channels, self.count = queries.channels, queries.count
        self._options = search_options(
            kind, znormalise, 1, exclusion, threshold, no_bounds, precision, {"max_bytes": max_bytes}
        )
        self._handle = handle("ww_search_stream")
        made = as_measure(measure, parameters)
        self._said = f"{made.said}, windows z-normalised" if znormalise else made.said
        check(lib.ww_search_stream_create(context._c, made.c(queries.longest), queries.c, self._options, self._handle))

    @alone
    def push(self, values: Any) -> Matches:
        """Adds points. After an interrupt `points` says how many were taken; the matches that they made certain are lost.

        Parameters
        ----------
        values : array_like of shape (count,) or (count, channels)
            The points.

        Returns
        -------
        Matches
            Those that are now certain, with a field query.

        Raises
        ------
        ValueError
            Points of other channels; after finish().
        TypeError
            No numbers.
        """
        values = as_numbers(values)
        values = np.ascontiguousarray(values.reshape(-1, 1) if values.ndim < 2 else values)
        if values.shape[1] != self.channels:
            raise ValueError(f"points of {values.shape[1]} channels, not {self.channels}")
        matches: list = []
        check(
            lib.ww_search_stream_push(
                self._handle[0],
                pointer(values),
                precision_of(values.dtype),
                len(values),
                lib.py_match_fn,
                ffi.new_handle(matches),
            )
        )
        return as_matches(np.array(matches, REPORT), self._said)

    @alone
    def finish(self) -> Matches:
        """Ends the stream.

        Returns
        -------
        Matches
            Those that were not yet certain.

        Raises
        ------
        ValueError
            It was called before.
        """
        matches: list = []
        user = ffi.new_handle(matches)
        check(lib.ww_search_stream_finish(self._handle[0], lib.py_match_fn, user))
        return as_matches(np.array(matches, REPORT), self._said)

    def __repr__(self):
        return f"<wavewarp.Monitor of {many(self.count, 'query', 'queries')}, {many(self.points, 'point')} so far; {self._said}>"

    @property
    @alone
    def points(self) -> int:
        """Points that it has taken."""
        return lib.ww_search_stream_points(self._handle[0])

    @alone
    def delay(self, query=0) -> int:
        """How many points after the last point of a match it is reported at the latest.

        Parameters
        ----------
        query : int
            Which of the queries.

        Returns
        -------
        int

        Raises
        ------
        IndexError
            There is no such query.
        """
        if not 0 <= query < self.count:
            raise IndexError(f"there is no query {query}; there are {self.count}")
        return lib.ww_search_stream_delay(self._handle[0], query)
