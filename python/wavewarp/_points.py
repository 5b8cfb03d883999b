# SPDX-License-Identifier: Apache-2.0
"""Points, bits and sets, and their exact nearest neighbours."""

from __future__ import annotations

import os
from typing import Any, Dict, NoReturn, Optional

import numpy as np

from ._arrays import as_array, as_numbers, classes_of, doubles, of_argument, whole
from ._context import Context, default_context
from ._core import NULL, Progress, by_name, check, ffi, handle, keep, lib, new, number, run, text, word
from ._parts import shard
from ._results import Neighbours
from ._series import DTYPES, neighbours, output, pointer, precision_of, told_float


KINDS = ("numbers", "bits", "sets")


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

    Points pickle: they are read back from the device, and uploaded again by the default context.

    Parameters
    ----------
    values : array_like or list of set
        Numbers of shape (points, dimension); bool, or bytes with ``kind="bits"``; sets of integers.
    kind : str, optional
        "numbers", "bits" or "sets"; None: as the values say.
    dimension : int, optional
        How many of the bits of the bytes count; None: all.
    precision : str, optional
        "float" or "double"; None: that of the numbers.
    max_bytes : int
        Most device memory; larger sets are uploaded block by block. 0: as much as there is.
    missing : bool
        NaN is a missing coordinate, for the metric "nan-l2" alone.
    context : Context, optional
        None: default_context().

    Raises
    ------
    ValueError
        Not two axes, no points; NaN or infinity; members outside 0 to 2^32 - 1; bits that are not in so many bytes; there is
        no such kind.
    TypeError
        No numbers; bits that are neither bool nor bytes.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> points = ww.Points([[0.0, 0.0], [3.0, 4.0]])
    >>> len(points), points.dimension, points.kind
    (2, 2, 'numbers')
    """

    def __init__(
        self,
        values: Any,
        *,
        kind=None,
        dimension=None,
        precision: Optional[str] = None,
        max_bytes: int = 0,
        missing: bool = False,
        context: Optional[Context] = None,
    ) -> None:
        self.context, self._max_bytes, self._missing = context or default_context(), max_bytes, bool(missing)
        points = PointView(values, kind, dimension)
        if precision is None:
            precision = "float" if points.dtype == np.float32 or not self.context.has_double else "double"
        told_float(precision, points.c)
        self._handle = handle("ww_points")
        options = new(
            "ww_points_options",
            precision=by_name("ww_precision", precision),
            max_bytes=max_bytes,
            missing=int(self._missing),
        )
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
        return KINDS[lib.ww_points_kind(self._c)]

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of their distances."""
        return DTYPES[text(lib.ww_precision_name(lib.ww_points_precision(self._c)))]

    def values(self) -> Any:
        """The points in host memory, as read_points() has them.

        Returns
        -------
        numpy.ndarray or list
            An array, of bytes for bits; a list of sets.

        Raises
        ------
        MemoryError
            Host or device memory is too small.

        Examples
        --------
        >>> ww.Points([[1.0, 2.0]]).values().tolist()
        [[1.0, 2.0]]
        """
        made = handle("ww_point_set")
        check(lib.ww_point_set_of_points(self._c, made))
        return _values(made)

    def __reduce__(self):
        dimension = self.dimension if self.kind == "bits" else None
        return _unpickled_points, (self.values(), self.kind, dimension, self._max_bytes, self._missing)

    def __repr__(self):
        return f"<wavewarp.Points: {len(self)} of {self.kind}, {self.dimension} dimensions, {self.dtype}>"


def _unpickled_points(values, kind, dimension, max_bytes, missing=False):
    return Points(values, kind=kind, dimension=dimension, max_bytes=max_bytes, missing=missing)


def points_of(values, like=None, context=None, missing=False):
    if values is None or isinstance(values, Points):
        return values
    if like is None:
        return Points(values, context=context, missing=missing)
    precision = text(lib.ww_precision_name(precision_of(like.dtype)))
    dimension = like.dimension if like.kind == "bits" and getattr(values, "dtype", None) != bool else None
    return Points(
        values, kind=like.kind, dimension=dimension, precision=precision, context=like.context, missing=missing
    )


# Other libraries' names.
_METRICS = {
    **{"euclidean": "l2", "sqeuclidean": "l2-squared", "manhattan": "l1", "cityblock": "l1", "chebyshev": "linf"},
    **{"dot": "inner-product", "inner_product": "inner-product", "ip": "inner-product"},
    **{"braycurtis": "bray-curtis", "nan_euclidean": "nan-l2"},
}


def metric_of(name):
    """The value of a metric's name, also of that which other libraries have."""
    return by_name("ww_metric", _METRICS.get(name, name))


def asking_of(queries):
    return NULL if queries is None else queries._c


def _power(metric, p):
    """Minkowski's p; 0 where none is given."""
    if p is None:
        return 0.0
    if metric_of(metric) != lib.WW_METRIC_MINKOWSKI:
        raise ValueError(f"p is for the metric minkowski, not for {metric}")
    if not p >= 1:
        raise ValueError(f"p is {p}; it is at least 1")
    return float(p)


def _knn(base, queries, k, metric, limits, part=None, p=None):
    made = handle("ww_knn")
    options = new("ww_knn_options", metric=metric_of(metric), run=run(**limits), p=_power(metric, p))
    asking, count = asking_of(queries), len(queries if queries is not None else base)
    ids, distances = neighbours(count, k, base.dtype)
    if part is None:
        check(lib.ww_knn_create(base._c, asking, k, options, made))
    else:
        check(lib.ww_knn_create_shard(base._c, asking, k, shard(count, base.dtype, **part), options, made))
    check(lib.ww_knn_run(made[0], output(ids, "int64_t"), pointer(distances), NULL))
    return Neighbours(distances, ids)._under(metric)


def _sides(name, queries, swapped, base, context, missing=False):
    """The base, and the queries or None where they are the base."""
    if swapped:
        raise TypeError(f"{name}(base, queries, k) is now {name}(queries, base=base, k=k): the base has to be named")
    if base is None:
        return of_argument("queries", points_of, queries, context=context, missing=missing), None
    base = of_argument("base", points_of, base, context=context, missing=missing)
    return base, of_argument("queries", points_of, queries, base, missing=missing)


def knn(
    queries: Any,
    *swapped: NoReturn,
    base: Any = None,
    k: int = 1,
    metric: str = "l2",
    p: Optional[float] = None,
    radius: Any = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
) -> Neighbours:
    """The k nearest points of the base to each query, exactly; "l2" has its root, "l2-squared" none.

    Of equal distances the lower id comes first. The base is named, ``knn(queries, base=points)``: ``knn(base, queries)``
    was the order of earlier versions.

    Parameters
    ----------
    queries, base : Points, or what they take
        `base` None: the queries themselves, each without itself.
    k : int
        Neighbours a query.
    metric : str
        One of metrics(); other libraries' names, as "euclidean", are taken too. Under "nan-l2" NaN is a missing
        coordinate.
    p : float, optional
        Of "minkowski": its exponent, at least 1; None: 2.
    radius : float, or one a query, optional
        Instead of `k`: all points no farther than it, up to KNN_MOST (1048576) a query.
    progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.

    Returns
    -------
    Neighbours
        (distances, ids) of shape (queries, k), nearest first, of the base's type and int64; -1 and infinity where there
        are fewer. With `radius` two lists of arrays.

    Raises
    ------
    ValueError
        `k` outside 1 to 1048576; queries of another dimension or kind; a metric that there is not, or that is for other
        points; a `p` below 1, or of another metric; a radius of NaN, another number of them, or with more points within it than KNN_MOST.
    TypeError
        The base without its name; no numbers.

    Examples
    --------
    >>> distances, ids = ww.knn([[0.0, 0.0]], base=[[3.0, 4.0], [1.0, 0.0], [6.0, 8.0]], k=2)
    >>> ids.tolist(), distances.tolist()
    ([[1, 0]], [[1.0, 5.0]])
    """
    base, queries = _sides("knn", queries, swapped, base, context, metric_of(metric) == lib.WW_METRIC_NAN_L2)
    limits = {"progress": progress, "max_bytes": max_bytes}
    if radius is None:
        return _knn(base, queries, k, metric, limits, p=p)
    radius = np.asarray(radius, np.float64)
    if np.isnan(radius).any():
        raise ValueError("the radius is NaN")
    asked = len(queries if queries is not None else base)
    if radius.shape not in ((), (asked,)):
        raise ValueError(f"radii of shape {radius.shape} for {asked} queries")
    radius = radius.reshape(-1, 1)
    most = min(len(base), lib.WW_KNN_MOST)
    k = min(32, most)
    while True:
        distances, ids = _knn(base, queries, k, metric, limits, p=p)
        full = (ids[:, -1] >= 0) & (distances[:, -1] <= radius[:, 0])
        if not full.any() or k == len(base):
            break
        if k == most:
            raise ValueError(f"more than {most} points within the radius of query {int(np.argmax(full))}")
        k = min(4 * k, most)
    inside = (ids >= 0) & (distances <= radius)
    found = [d[i] for d, i in zip(distances, inside)], [n[i] for n, i in zip(ids, inside)]
    return Neighbours(*found)._under(metric)


def knn_shard(
    queries: Any,
    *swapped: NoReturn,
    base: Any = None,
    k: int = 1,
    metric: str = "l2-squared",
    query_offset: int = 0,
    base_offset: int = 0,
    exclude_self: bool = False,
    initial: Any = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
) -> Neighbours:
    """The k nearest points in one part of a larger base, for merge_neighbours(); distances are squared, without a root.

    Parameters
    ----------
    queries, base : Points, or what they take
        `base`: the part; None: the queries themselves.
    k : int
        Neighbours a query.
    metric : str
        One of metrics() but "l2": take the roots of what is joined.
    query_offset, base_offset : int
        The place of the first query, and of the first point of the part, in the whole. Ids count from there.
    exclude_self : bool
        Leave out the point whose id is the query's.
    initial : array_like, optional
        A distance a query beyond which no neighbour is of use: of the parts that are done.
    progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.

    Returns
    -------
    Neighbours
        (distances, ids) as of knn().

    Raises
    ------
    ValueError
        "l2"; an offset below 0; another number of initial distances; what knn() refuses.
    TypeError
        The base without its name; no numbers.

    Examples
    --------
    >>> base, query = [[0.0], [3.0], [7.0], [9.0]], [[6.0]]
    >>> parts = [ww.knn_shard(query, base=base[:2]), ww.knn_shard(query, base=base[2:], base_offset=2)]
    >>> ww.merge_neighbours(*parts)[1].tolist()
    [[2]]
    """
    base, queries = _sides("knn_shard", queries, swapped, base, context)
    part = dict(query_offset=query_offset, base_offset=base_offset, exclude_self=exclude_self, initial=initial)
    return _knn(base, queries, k, metric, {"progress": progress, "max_bytes": max_bytes}, part)


def _ids(ids):
    made = whole("ids", ids)
    if made.ndim != 2:
        raise ValueError(f"ids have shape (queries, k), not {made.shape}")
    return made


def knn_vote(ids: Any, labels: Any) -> Any:
    """The label most frequent among each query's neighbours.

    Of labels equally frequent the nearest neighbour's wins.

    Parameters
    ----------
    ids : array_like of shape (queries, k)
        Neighbours as knn() gives them; -1 is none.
    labels : sequence
        One a point of the base.

    Returns
    -------
    ndarray or list
        A label a query; a list, with None, where a query has no neighbour with a label.

    Raises
    ------
    ValueError
        Ids that are not of shape (queries, k), or outside the labels.

    Examples
    --------
    >>> ww.knn_vote([[0, 1, 2]], ["near", "far", "far"]).tolist()
    ['far']
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
    """The mean of a value over each query's neighbours.

    Parameters
    ----------
    ids : array_like of shape (queries, k)
        Neighbours as knn() gives them; -1 is none.
    values : array_like
        One number a point of the base.

    Returns
    -------
    ndarray of shape (queries,)
        NaN where a query has no neighbour.

    Raises
    ------
    ValueError
        Ids that are not of shape (queries, k), or outside the values.

    Examples
    --------
    >>> ww.knn_mean([[0, 2]], [1.0, 5.0, 2.0]).tolist()
    [1.5]
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
    """The share of the exact neighbours that another search found, by their distances.

    Parameters
    ----------
    exact, approximate : array_like of shape (queries, k)
        Distances, nearest first.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        Shapes that differ, or are not (queries, k).

    Examples
    --------
    >>> ww.knn_recall([[1.0, 2.0]], [[1.0, 3.0]])
    0.5
    """
    exact = np.ascontiguousarray(of_argument("exact", as_numbers, exact))
    approximate = np.ascontiguousarray(of_argument("approximate", as_numbers, approximate), exact.dtype)
    if exact.shape != approximate.shape or exact.ndim != 2:
        raise ValueError("distances of different shapes")
    return lib.ww_knn_recall(pointer(exact), pointer(approximate), *exact.shape, precision_of(exact.dtype))


def metrics() -> Dict[str, str]:
    """The metrics of points.

    Returns
    -------
    dict of str to str
        Each name with what its points are made of: "numbers", "bits" or "sets".

    Examples
    --------
    >>> ww.metrics()["hamming"]
    'bits'
    """
    return {text(lib.ww_metric_name(m)): KINDS[lib.ww_metric_kind(m)] for m in ffi.typeof("ww_metric").elements}


def read_points(path, kind="numbers") -> Any:
    """Reads the points of a file.

    Parameters
    ----------
    path : str or path
        .fvecs, .bvecs, .ivecs, .npy, or text.
    kind : str
        "numbers", "bits" or "sets".

    Returns
    -------
    ndarray or list of set
        Numbers of shape (points, dimension), bits as bytes, or sets.

    Raises
    ------
    FileError
        The file can't be opened, or is damaged: the text says where.
    ValueError
        There is no such kind.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ww.write_points(os.path.join(folder, "two.fvecs"), np.float32([[1, 2], [3, 4]]))
    ...     ww.read_points(os.path.join(folder, "two.fvecs")).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
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
    """Writes points.

    Parameters
    ----------
    path : str or path
        The ending says the format: .fvecs, .bvecs (bits), .ivecs (sets), .npy, else text.
    values
        What Points takes.
    kind : str, optional
        "bits": bytes are bits.

    Raises
    ------
    FileError
        The file can't be written.
    ValueError
        The format can't hold such points.
    TypeError
        No numbers.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ww.write_points(os.path.join(folder, "points.npy"), [[1.0, 2.0]])
    ...     np.load(os.path.join(folder, "points.npy")).tolist()
    [[1.0, 2.0]]
    """
    check(lib.ww_point_view_write(os.fsencode(path), PointView(values, kind).c))


def sets_of_bits(values: Any) -> list:
    """Bits as sets: for each point the positions of its ones.

    Parameters
    ----------
    values : array_like of shape (points, bits) of bool or (points, bytes) of uint8
        In a byte the first bit is the lowest.

    Returns
    -------
    list of set

    Raises
    ------
    ValueError
        Not two axes.
    TypeError
        Neither bool nor bytes.

    Examples
    --------
    >>> ww.sets_of_bits(np.array([[True, False, True]]))
    [{0, 2}]
    """
    made = handle("ww_point_set")
    check(lib.ww_point_set_of_bits(PointView(values, "bits").c, made))
    return _values(made)
