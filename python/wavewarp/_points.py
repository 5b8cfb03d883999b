# SPDX-License-Identifier: Apache-2.0
"""Points, bits and sets: exact nearest neighbours, and locality-sensitive hashing."""

from __future__ import annotations

import io
import os
from types import SimpleNamespace
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from ._arrays import as_array, as_numbers, classes_of, doubles, of_argument, whole
from ._context import Context, default_context
from ._core import NULL, Progress, alone, assign, by_name, check, ffi, handle, info, keep, lib, new, number, run, text, word
from ._parts import shard
from ._results import Neighbours
from ._series import DTYPES, neighbours, output, pointer, precision_of, told_float


_KINDS = ("numbers", "bits", "sets")


class PointView:
    """A ww_point_view of the caller's arrays, which it keeps."""

    def __init__(self, values: Any, kind=None, dimension=None) -> None:
        self.kind = kind = kind or "numbers"
        if kind == "sets" or _are_sets(values):
            self.kind = "sets"
            self._sets(values)
        elif kind == "bits" or getattr(values, "dtype", None) == bool:
            self.kind = "bits"
            self._bits(as_array(values), dimension)
        elif kind == "numbers":
            self._numbers(as_numbers(values))
        else:
            raise ValueError(f"kind is {kind!r}, none of numbers, bits, sets")
        keep(self.c, self._kept)

    def _numbers(self, array):
        if array.ndim != 2:
            raise ValueError(f"points have shape (points, dimension), not {array.shape}")
        by_column = array.flags.f_contiguous and not array.flags.c_contiguous
        self._kept = array if by_column else np.ascontiguousarray(array)
        self.dtype = array.dtype
        self.c = new(
            "ww_point_view",
            kind=lib.WW_POINTS_NUMBERS,
            values=pointer(self._kept),
            precision=precision_of(array.dtype),
            count=array.shape[0],
            dimension=array.shape[1],
            column_order=int(by_column),
        )

    def _bits(self, array, dimension):
        if array.ndim != 2:
            raise ValueError(f"points have shape (points, bits) of bool or (points, bytes), not {array.shape}")
        if array.dtype == bool:
            dimension = array.shape[1]
            array = np.packbits(array, axis=1, bitorder="little")
        if array.dtype != np.uint8:
            raise TypeError("bits are bool, or bytes (uint8) with the first bit lowest")
        self._kept, self.dtype = np.ascontiguousarray(array), DTYPES["float"]
        dimension = 8 * array.shape[1] if dimension is None else dimension
        if (dimension + 7) // 8 != array.shape[1]:
            raise ValueError(f"{dimension} bits are not in {array.shape[1]} bytes")
        self.c = new(
            "ww_point_view",
            kind=lib.WW_POINTS_BITS,
            values=pointer(self._kept),
            count=array.shape[0],
            dimension=dimension,
        )

    def _sets(self, values):
        members = [np.unique(whole(f"set {i}", _listed(i, value))) for i, value in enumerate(values)]
        if any(len(m) and (m[0] < 0 or m[-1] >= 2**32) for m in members):
            raise ValueError("members of sets are from 0 to 2^32 - 1")
        flat = np.concatenate([*members, np.empty(0, np.int64)]).astype(np.uint32)
        if not flat.size:
            flat = np.zeros(1, np.uint32)
        offsets = np.cumsum([0, *map(len, members)]).astype(np.uint64)
        self._kept, self.dtype = (flat, offsets), DTYPES["float"]
        self.c = new(
            "ww_point_view",
            kind=lib.WW_POINTS_SETS,
            values=pointer(flat),
            count=len(members),
            offsets=output(offsets, "uint64_t"),
        )


def _listed(i, value):
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return value
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
        raise TypeError(f"set {i} is a {type(value).__name__}, and no set of whole numbers")
    return list(value)


def _are_sets(values):
    return isinstance(values, (list, tuple)) and len(values) > 0 and isinstance(values[0], (set, frozenset))


class Points:
    """Points on the device, uploaded once.

    values: (points, dimension) of numbers; bool, or bytes with kind="bits"; a list of sets of integers.
    precision: None: that of the numbers. max_bytes: most device memory; more is uploaded block by block. Points pickle:
    they are read back from the device, and uploaded again by the default context.

    Raises ValueError (not two axes, no points; NaN or infinity; members outside 0 to 2^32 - 1; bits that are not in so
    many bytes; there is no such kind), TypeError (no numbers; bits that are neither bool nor bytes), MemoryError.
    """

    def __init__(
        self,
        values: Any,
        *,
        kind=None,
        dimension=None,
        precision: Optional[str] = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
    ) -> None:
        self.context, self._max_bytes = context or default_context(), max_bytes
        points = PointView(values, kind, dimension)
        if precision is None:
            precision = "float" if points.dtype == np.float32 or not self.context.has_double else "double"
        told_float(precision, points.c)
        self._handle = handle("ww_points")
        options = new("ww_points_options", precision=by_name("ww_precision", precision), max_bytes=max_bytes)
        check(lib.ww_points_create(self.context._c, points.c, options, self._handle))

    @property
    def _c(self):
        return self._handle[0]

    def __len__(self) -> int:
        return lib.ww_points_count(self._c)

    @property
    def dimension(self) -> int:
        """Numbers or bits of a point; 0 of sets."""
        return lib.ww_points_dimension(self._c)

    @property
    def kind(self) -> str:
        """What the points are: "numbers", "bits" or "sets"."""
        return _KINDS[lib.ww_points_kind(self._c)]

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of their distances."""
        return DTYPES[text(lib.ww_precision_name(lib.ww_points_precision(self._c)))]

    def values(self) -> Any:
        """The points in host memory, as read_points() has them: an array, bytes for bits, a list of sets.

        Raises MemoryError.
        """
        made = handle("ww_point_set")
        check(lib.ww_point_set_of_points(self._c, made))
        return _values(made)

    def __reduce__(self):
        dimension = self.dimension if self.kind == "bits" else None
        return _unpickled_points, (self.values(), self.kind, dimension, self._max_bytes)

    def __repr__(self):
        return f"<wavewarp.Points: {len(self)} of {self.kind}, {self.dimension} dimensions, {self.dtype}>"


def _unpickled_points(values, kind, dimension, max_bytes):
    return Points(values, kind=kind, dimension=dimension, max_bytes=max_bytes)


def _points(values, like=None, context=None):
    if values is None or isinstance(values, Points):
        return values
    if like is None:
        return Points(values, context=context)
    precision = text(lib.ww_precision_name(precision_of(like.dtype)))
    dimension = like.dimension if like.kind == "bits" and getattr(values, "dtype", None) != bool else None
    return Points(values, kind=like.kind, dimension=dimension, precision=precision, context=like.context)


def _asking(queries):
    return NULL if queries is None else queries._c


def _knn(base, queries, k, metric, limits, part=None):
    made = handle("ww_knn")
    options = new("ww_knn_options", metric=by_name("ww_metric", metric), run=run(**limits))
    asking, count = _asking(queries), len(queries if queries is not None else base)
    ids, distances = neighbours(count, k, base.dtype)
    if part is None:
        check(lib.ww_knn_create(base._c, asking, k, options, made))
    else:
        check(lib.ww_knn_create_shard(base._c, asking, k, shard(count, base.dtype, **part), options, made))
    check(lib.ww_knn_run(made[0], output(ids, "int64_t"), pointer(distances), NULL))
    return Neighbours(distances, ids)._under(metric)


def knn(
    base: Any,
    queries=None,
    k: int = 1,
    *,
    metric: str = "l2",
    radius=None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
) -> Neighbours:
    """The k nearest points of the base to each query, exactly: Neighbours (distances, ids) of shape (queries, k), nearest first.

    base, queries: Points, or what they take; queries None: the base's own points, each without itself. metric: see
    metrics(). Of equal distances the lower id comes first; -1 and infinity where there are fewer. Types: that of the
    base, and int64. radius: instead two lists of arrays, of all points no farther than it, nearest first; up to
    KNN_MOST (1048576) a query.

    Raises ValueError (k outside 1 to 1048576; queries of another dimension or kind; a metric that there is not, or that is
    for other points; a radius of NaN, or with more points within it than KNN_MOST).
    """
    base = of_argument("base", _points, base, context=context)
    queries = of_argument("queries", _points, queries, base)
    limits = {"progress": progress, "max_bytes": max_bytes}
    if radius is None:
        return _knn(base, queries, k, metric, limits)
    if radius != radius:
        raise ValueError("the radius is NaN")
    most = min(len(base), lib.WW_KNN_MOST)
    k = min(32, most)
    while True:
        distances, ids = _knn(base, queries, k, metric, limits)
        full = (ids[:, -1] >= 0) & (distances[:, -1] <= radius)
        if not full.any() or k == len(base):
            break
        if k == most:
            raise ValueError(f"more than {most} points within the radius of query {int(np.argmax(full))}")
        k = min(4 * k, most)
    inside = (ids >= 0) & (distances <= radius)
    found = [d[i] for d, i in zip(distances, inside)], [n[i] for n, i in zip(ids, inside)]
    return Neighbours(*found)._under(metric)


def knn_shard(
    base: Any,
    queries=None,
    k: int = 1,
    *,
    metric: str = "l2-squared",
    query_offset: int = 0,
    base_offset: int = 0,
    exclude_self: bool = False,
    initial: Any = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
) -> Neighbours:
    """The k nearest points in one part of a larger base: (distances, ids), for merge_neighbours().

    Offsets, exclude_self and initial: as of NearestPlan. Not under "l2": take the roots of what is joined.

    Raises ValueError ("l2"; an offset below 0; another number of initial distances; what knn() refuses).
    """
    base = of_argument("base", _points, base, context=context)
    part = dict(query_offset=query_offset, base_offset=base_offset, exclude_self=exclude_self, initial=initial)
    limits = {"progress": progress, "max_bytes": max_bytes}
    return _knn(base, of_argument("queries", _points, queries, base), k, metric, limits, part)


def _ids(ids):
    made = whole("ids", ids)
    if made.ndim != 2:
        raise ValueError(f"ids have shape (queries, k), not {made.shape}")
    return made


def knn_vote(ids: Any, labels: Any) -> Any:
    """The label most frequent among each query's neighbours (ids of knn()): an array of labels.

    Of equally frequent ones the nearest's. A list, with None, where a query has no neighbour with a label.

    Raises ValueError (ids that are not of shape (queries, k), or outside the labels).
    """
    ids = _ids(ids)
    classes, codes = classes_of(labels)
    predicted = np.empty(len(ids), np.int64)
    check(
        lib.ww_knn_vote(
            output(ids, "int64_t"), *ids.shape, output(codes, "int64_t"), len(codes), output(predicted, "int64_t")
        )
    )
    return classes[predicted] if (predicted >= 0).all() else [None if p < 0 else classes[p] for p in predicted]


def knn_mean(ids: Any, values: Any) -> np.ndarray:
    """The mean of a value over each query's neighbours; NaN where it has none.

    Raises ValueError (ids that are not of shape (queries, k), or outside the values).
    """
    ids, values = _ids(ids), doubles("values", values)
    predicted = np.empty(len(ids))
    check(
        lib.ww_knn_mean(
            output(ids, "int64_t"), *ids.shape, output(values, "double"), len(values), output(predicted, "double")
        )
    )
    return predicted


def knn_recall(exact, approximate) -> float:
    """The share of the exact neighbours that were found, by their distances, of shape (queries, k) each: from 0 to 1.

    Raises ValueError (shapes that differ, or are not (queries, k)).
    """
    exact = np.ascontiguousarray(of_argument("exact", as_numbers, exact))
    approximate = np.ascontiguousarray(of_argument("approximate", as_numbers, approximate), exact.dtype)
    if exact.shape != approximate.shape or exact.ndim != 2:
        raise ValueError("distances of different shapes")
    return lib.ww_knn_recall(pointer(exact), pointer(approximate), *exact.shape, precision_of(exact.dtype))


def metrics() -> Dict[str, str]:
    """Names of the metrics, and what their points are made of."""
    return {text(lib.ww_metric_name(m)): _KINDS[lib.ww_metric_kind(m)] for m in ffi.typeof("ww_metric").elements}


def read_points(path, kind="numbers") -> Any:
    """Points of a file (.fvecs, .bvecs, .ivecs, .npy, text): an array, bytes for bits, a list of sets.

    Raises FileError (it can't be opened, or is damaged: the text says where), ValueError (there is no such kind).
    """
    made = handle("ww_point_set")
    check(lib.ww_point_set_read(os.fsencode(path), word("ww_point_kind", kind), made))
    return _values(made)


def _values(points):
    """Copies of what a ww_point_set holds."""
    view = new("ww_point_view")
    check(lib.ww_point_set_view(points[0], view))
    if view.kind == lib.WW_POINTS_SETS:
        offsets = ffi.unpack(view.offsets, view.count + 1)
        flat = np.frombuffer(ffi.buffer(view.values, 4 * offsets[-1]), np.uint32) if offsets[-1] else []
        return [{int(v) for v in flat[a:b]} for a, b in zip(offsets, offsets[1:])]
    if view.kind == lib.WW_POINTS_BITS:
        width = (view.dimension + 7) // 8
        return np.frombuffer(ffi.buffer(view.values, view.count * width), np.uint8).reshape(-1, width).copy()
    dtype = DTYPES[text(lib.ww_precision_name(view.precision))]
    flat = np.frombuffer(ffi.buffer(view.values, view.count * view.dimension * dtype.itemsize), dtype)
    if view.column_order:
        return flat.reshape(view.dimension, view.count).T.copy()
    return flat.reshape(view.count, view.dimension).copy()


def write_points(path, values: Any, kind=None) -> None:
    """Writes points, as Points takes them.

    The name's ending says the format: .fvecs, .bvecs (bits), .ivecs (sets), .npy, else text.

    Raises FileError (it can't be written), ValueError (the format can't hold such points), TypeError (no numbers).
    """
    check(lib.ww_point_view_write(os.fsencode(path), PointView(values, kind).c))


def sets_of_bits(values: Any) -> list:
    """The same points as sets: for each the positions of its ones.

    Raises ValueError (not two axes), TypeError (neither bool nor bytes).
    """
    made = handle("ww_point_set")
    check(lib.ww_point_set_of_bits(PointView(values, "bits").c, made))
    return _values(made)


def _part(rows, count):
    """The rows of a range or slice, as a range in [0, count)."""
    if not isinstance(rows, (range, slice, type(None))):
        raise TypeError(f"rows is a range or a slice of the queries, not {type(rows).__name__}")
    if isinstance(rows, range):
        rows = slice(rows.start, rows.stop, rows.step)
        if rows.start < 0 or rows.stop > count:
            raise ValueError(f"rows are {rows.start} to {rows.stop}, of {count} queries")
    part = range(count)[slice(None) if rows is None else rows]
    if part.step != 1:
        raise ValueError(f"rows have the step {part.step}; they must follow one another")
    return part


def lsh_collision(metric: str, distance, *, width=1.0, dimension=1) -> float:
    """The probability that one hash function gives two points at this distance the same value.

    NaN where it has no meaning. width: of the buckets, for l2, l2-squared and l1. dimension: bits, for hamming.

    Raises ValueError (there is no such metric).
    """
    return lib.ww_lsh_collision(by_name("ww_metric", metric), distance, width, dimension)


class LSH:
    """Hash tables of points: approximate neighbours. An index pickles, and can be saved.

    points: Points, or what they take. metric: l2, l2-squared, l1, cosine, hamming or jaccard. choose() finds the rest
    for a given recall. path: "auto", "buckets", "queries". options, those of ww_lsh_options:
    tables: how many, from 1 on. functions: of a table, 1 to 64. width: of a segment under l2 and l1, above 0.
    probes: buckets that are searched in every table, 1 to 1024. seed: the same one gives the same tables.
    candidates: most points that a query may examine, 1 to 4096. complete: a query that finds fewer than k is searched
        again, exactly.

    Raises ValueError (a metric without hash family; tables, functions, probes or width out of range; path), TypeError
    (an option that there is not), MemoryError.
    """

    def __init__(
        self,
        points: Any,
        *,
        metric: str = "l2",
        path="auto",
        progress: Progress = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
        **options,
    ) -> None:
        points = of_argument("points", _points, points, context=context)
        self._handle = handle("ww_lsh")
        fields = {**options, "metric": by_name("ww_metric", metric), "path": word("ww_lsh_path", path)}
        self._set(points, new("ww_lsh_options", run=run(progress, max_bytes), **fields))

    def _set(self, points, options):
        self.context, self._run = points.context, options
        check(lib.ww_lsh_create(points._c, options, self._handle))
        return self

    @property
    def _c(self):
        return self._handle[0]

    @property
    def kind(self) -> str:
        """As Points.kind."""
        return _KINDS[lib.ww_lsh_kind(self._c)]

    @property
    def dtype(self) -> np.dtype:
        """As Points.dtype."""
        return DTYPES[text(lib.ww_precision_name(lib.ww_lsh_precision(self._c)))]

    @property
    def dimension(self) -> int:
        """As Points.dimension."""
        return self.info.dimension

    def __len__(self) -> int:
        """Points that were ever added."""
        return lib.ww_lsh_count(self._c)

    @alone
    def add(self, points: Any) -> None:
        """Adds points, whose ids continue after the last.

        Raises ValueError (points of another dimension or kind; NaN or infinity), MemoryError.
        """
        points = of_argument("points", _points, points, self)
        check(lib.ww_lsh_add(self._c, points._c))

    @alone
    def remove(self, ids: Any) -> None:
        """No search finds these points any more.

        Raises ValueError (an id that no point has). Then none is removed.
        """
        ids = np.atleast_1d(whole("ids", ids))
        check(lib.ww_lsh_remove(self._c, output(ids, "int64_t"), ids.size))

    @alone
    def search(self, queries=None, k: int = 1, *, rows: Union[None, range, slice] = None) -> Neighbours:
        """Neighbours (distances, ids) of shape (queries, k); as knn(), but some neighbours may be missing.

        rows: a range or slice of the queries, for which alone results are made: of queries None points of the index.

        Raises ValueError (queries of another dimension or kind; k outside 1 to 1024; rows that are not of the queries,
        or not one after the other), TypeError (rows is neither range nor slice).
        """
        queries = of_argument("queries", _points, queries, self)
        part = _part(rows, len(queries if queries is not None else self))
        ids, distances = neighbours(len(part), k, self.dtype)
        to = output(ids, "int64_t"), pointer(distances)
        check(lib.ww_lsh_run_rows(self._c, _asking(queries), part.start, len(part), k, *to, NULL))
        return Neighbours(distances, ids)._under(self.options.metric)

    @alone
    def search_shard(
        self,
        queries=None,
        k: int = 1,
        *,
        query_offset: int = 0,
        base_offset: int = 0,
        exclude_self: bool = False,
        initial: Any = None,
    ) -> Neighbours:
        """Neighbours (distances, ids) in tables over one part of a larger base, for merge_neighbours().

        query_offset, base_offset, exclude_self, initial: as of NearestPlan. Not under "l2".

        Raises ValueError (under "l2"; an offset below 0; what search() refuses).
        """
        queries = of_argument("queries", _points, queries, self)
        count = len(queries if queries is not None else self)
        ids, distances = neighbours(count, k, self.dtype)
        part = dict(query_offset=query_offset, base_offset=base_offset, exclude_self=exclude_self, initial=initial)
        made = shard(len(ids), self.dtype, **part)
        to = output(ids, "int64_t"), pointer(distances)
        check(lib.ww_lsh_run_shard(self._c, _asking(queries), k, made, *to, NULL))
        return Neighbours(distances, ids)._under(self.options.metric)

    @property
    @alone
    def info(self) -> SimpleNamespace:
        """A record: points, bytes, examined, capped, incomplete, seconds_build, seconds_search, ..."""
        record = new("ww_lsh_info")
        check(lib.ww_lsh_get_info(self._c, record))
        return info(record)

    @alone
    def _options(self):
        record = new("ww_lsh_options")
        check(lib.ww_lsh_get_options(self._c, record))
        return record

    @property
    def options(self) -> SimpleNamespace:
        """The options it has."""
        return info(self._options())

    @alone
    def set_options(
        self,
        *,
        probes: Optional[int] = None,
        candidates: Optional[int] = None,
        path: Optional[str] = None,
        complete: Optional[bool] = None,
    ) -> None:
        """Changes how later searches are done; None: as it is. What tables are made for does not change.

        Raises ValueError (more probes than the tables are made for; a number out of range; path).
        """
        record = self._options()
        changes: Any = {"probes": probes, "candidates": candidates, "complete": complete}
        assign(record, {**changes, "path": None if path is None else word("ww_lsh_path", path)})
        check(lib.ww_lsh_set_options(self._c, record))

    @alone
    def save(self, path) -> None:
        """Writes points, options and removals to a file.

        Raises FileError (it can't be written).
        """
        check(lib.ww_lsh_save(self._c, os.fsencode(path)))

    @alone
    def to_bytes(self) -> bytes:
        """What save() writes.

        Raises MemoryError.
        """
        target = io.BytesIO()
        user = ffi.new_handle(target)
        check(lib.ww_lsh_save_to(self._c, lib.py_write_fn, user))
        return target.getvalue()

    @classmethod
    def _load(cls, function, *arguments, context=None):
        made = cls.__new__(cls)
        made.context, made._handle, made._run = context or default_context(), handle("ww_lsh"), run()
        check(function(made.context._c, *arguments, made._run, made._handle))
        return made

    @classmethod
    def load(cls, path, *, context: Optional[Context] = None) -> LSH:
        """Reads what save() wrote, on any machine.

        Raises FileError (it can't be opened, or no index is in it), MemoryError.
        """
        return cls._load(lib.ww_lsh_load, os.fsencode(path), context=context)

    @classmethod
    def from_bytes(cls, data, *, context: Optional[Context] = None) -> LSH:
        """An index of to_bytes().

        Raises FileError (no index is in them), MemoryError.
        """
        user = ffi.new_handle(io.BytesIO(data))
        return cls._load(lib.ww_lsh_load_from, lib.py_read_fn, user, context=context)

    def __repr__(self):
        told, made = self.info, self.options
        return (
            f"<wavewarp.LSH of {told.points} points ({self.kind}, dimension {told.dimension}), {made.metric}: {made.tables} "
            f"tables of {made.functions} functions, {made.probes} {'probe' if made.probes == 1 else 'probes'} a table>"
        )

    def __reduce__(self):
        return LSH.from_bytes, (self.to_bytes(),)

    @classmethod
    def choose(
        cls,
        points: Any,
        k: int = 1,
        recall: float = 0.9,
        *,
        metric: str = "l2",
        queries=0,
        sample: int = 0,
        seed: int = 1,
        asking=None,
        progress: Progress = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
    ) -> Tuple[Optional[LSH], SimpleNamespace]:
        """An index whose parameters reach a given recall in the least time: (index, record of what was measured).

        recall: the share of the k nearest that has to be found. queries: how many there will be; 0: as many as ask.
        sample: points to learn from, drawn by seed; 0: 512. asking: points that will ask, or many like them; None: the
        points themselves. Where exact search is faster, the record's exact_is_faster is 1 and the index may be None.

        Raises ValueError (k outside 1 to 1024; a recall that does not lie between 0 and 1; points that ask of another
        dimension or kind).
        """
        points = of_argument("points", _points, points, context=context)
        asking = of_argument("queries", _points, asking, points)
        target = new(
            "ww_lsh_target",
            metric=by_name("ww_metric", metric),
            k=k,
            recall=recall,
            queries=queries,
            sample=sample,
            seed=seed,
            run=run(progress, max_bytes),
            asking=None if asking is None else asking._c,
        )
        options, choice = new("ww_lsh_options"), new("ww_lsh_choice")
        status = lib.ww_lsh_choose(points._c, target, options, choice)
        told = info(choice)
        if status == lib.WW_ERROR_UNSUPPORTED and told.exact_is_faster:
            return None, told
        check(status)
        limits = run(progress, max_bytes)
        options.run = limits
        keep(options, limits)
        made = cls.__new__(cls)
        made._handle = handle("ww_lsh")
        return made._set(points, options), told
