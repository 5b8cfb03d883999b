# SPDX-License-Identifier: Apache-2.0
"""Points, bits and sets, and their exact nearest neighbours."""

from __future__ import annotations

from typing import Any, Dict, NoReturn, Optional

import numpy as np

from ._arrays import as_numbers, classes_of, doubles, of_argument, whole
from ._context import Context, default_context
from ._core import NULL, Progress, alone, by_name, check, ffi, handle, keep, lib, new, number, run, word_of
from ._parts import shard
from ._point_files import ELEMENTS, KINDS, PointView, values_of
from ._results import Neighbours
from ._series import DTYPES, neighbours, output, pointer, precision_of, told_float


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
        Device memory at most; larger sets are uploaded block by block. 0: as much as there is.
    missing : bool
        NaN is a missing coordinate, for the metric "nan-l2" alone.
    ids : array_like of int, optional
        The points' own ids, from 0 on, which searches give; several points may have the same. None: they count from 0.
    narrow : bool
        Numbers in uint8, int8 or float16 stay so, in a half or a quarter of the memory. Distances have the bits of the same
        numbers given as float. (LSH takes none of these.)
    context : Context, optional
        None: default_context().

    Raises
    ------
    ValueError
        Not two axes, no points; NaN or infinity; members outside 0 to 2^32 - 1; bits that are not in so many bytes; there is
        no such kind; another number of ids, or one below 0.
    TypeError
        No numbers; bits that are neither bool nor bytes.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> points = ww.Points([[0.0, 0.0], [3.0, 4.0]])
    >>> len(points), points.dimension, points.kind
    (2, 2, 'numbers')
    >>> points.add([[9.0, 9.0]])
    >>> points.remove([1])
    >>> points.ids.tolist(), ww.knn([[3.0, 4.0]], base=points).ids.tolist()
    ([0, 2], [[0]])
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
        ids: Any = None,
        narrow: bool = False,
        context: Optional[Context] = None,
    ) -> None:
        self.context, self._max_bytes, self._missing = context or default_context(), max_bytes, bool(missing)
        points = PointView(values, kind, dimension, narrow)
        ids = None if ids is None else np.atleast_1d(whole("ids", ids))
        if ids is not None and ids.shape != (points.c.count,):
            raise ValueError(f"ids of shape {ids.shape} for {points.c.count} points")
        if precision is None:
            precision = "float" if points.dtype == np.float32 or not self.context.has_double else "double"
        told_float(precision, points.c)
        self._handle = handle("ww_points")
        options = new(
            "ww_points_options",
            precision=by_name("ww_precision", precision),
            max_bytes=max_bytes,
            missing=int(self._missing),
            ids=output(ids, "int64_t"),
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
        return DTYPES[word_of("ww_precision", lib.ww_points_precision(self._c))]

    @property
    def ids(self) -> np.ndarray:
        """The points' ids, in their order."""
        ids = np.empty(len(self), np.int64)
        check(lib.ww_points_get_ids(self._c, output(ids, "int64_t")))
        return ids

    @property
    def element(self) -> np.dtype:
        """The NumPy type of the coordinates on the device."""
        return ELEMENTS[lib.ww_points_element(self._c)] or self.dtype

    @alone
    def add(self, values: Any, ids: Any = None) -> None:
        """Adds points.

        Parameters
        ----------
        values : array_like or list of set
            As of Points.
        ids : array_like of int, optional
            Theirs. None: they continue after the largest that there ever was.

        Raises
        ------
        ValueError
            Points of another dimension or kind; tables of an LSH hold the points; another number of ids.
        MemoryError
            Host or device memory is too small.

        Examples
        --------
        >>> points = ww.Points([[1.0, 2.0]])
        >>> points.add([[3.0, 4.0], [5.0, 6.0]])
        >>> points.ids.tolist()
        [0, 1, 2]
        """
        more = of_argument("values", points_of, values, self, missing=self._missing, ids=ids)
        check(lib.ww_points_add(self._c, more._c))

    @alone
    def remove(self, ids: Any) -> None:
        """Removes points; the others keep their ids.

        Parameters
        ----------
        ids : array_like of int
            Ids of points. It is no error to remove a point twice.

        Raises
        ------
        ValueError
            An id that there never was; no point would be left; tables of an LSH hold the points. Then none is removed.

        Examples
        --------
        >>> points = ww.Points([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> points.remove([1])
        >>> points.ids.tolist()
        [0, 2]
        """
        ids = np.atleast_1d(whole("ids", ids))
        check(lib.ww_points_remove(self._c, output(ids, "int64_t"), ids.size))

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
        return values_of(made)

    def __reduce__(self):
        dimension = self.dimension if self.kind == "bits" else None
        narrow = self.element != self.dtype
        return _unpickled_points, (self.values(), self.kind, dimension, self._max_bytes, self._missing, self.ids, narrow)

    def __repr__(self):
        return f"<wavewarp.Points: {len(self)} of {self.kind}, {self.dimension} dimensions, {self.dtype}>"


def _unpickled_points(values, kind, dimension, max_bytes, missing=False, ids=None, narrow=False):
    ids = None if ids is None or np.array_equal(ids, np.arange(len(ids))) else ids
    return Points(
        values, kind=kind, dimension=dimension, max_bytes=max_bytes, missing=missing, ids=ids, narrow=narrow
    )


def points_of(values, like=None, context=None, missing=False, ids=None):
    if values is None or isinstance(values, Points):
        if ids is not None:
            raise ValueError("Points have ids of their own: pass ids to Points()")
        return values
    if like is None:
        return Points(values, context=context, missing=missing)
    precision = word_of("ww_precision", precision_of(like.dtype))
    dimension = like.dimension if like.kind == "bits" and getattr(values, "dtype", None) != bool else None
    return Points(
        values,
        kind=like.kind,
        dimension=dimension,
        precision=precision,
        context=like.context,
        missing=missing,
        ids=ids,
        narrow=getattr(like, "element", like.dtype) != like.dtype,
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


def _subset(base, subset):
    """The fields of ww_knn_options that say which points of the base count: a flag a point, or ids."""
    if subset is None:
        return {}
    flags = np.asarray(subset)
    if flags.dtype == bool:
        if flags.shape != (len(base),):
            raise ValueError(f"a subset of shape {flags.shape} for {len(base)} points")
        return {"subset_bits": output(np.packbits(flags, bitorder="little"), "uint8_t")}
    ids = np.atleast_1d(whole("subset", subset))
    # An empty array has no address.
    return {"subset": output(np.append(ids, 0), "int64_t"), "subset_count": ids.size}


def _knn(base, queries, k, metric, limits, part=None, p=None, subset=None):
    made = handle("ww_knn")
    options = new(
        "ww_knn_options", metric=metric_of(metric), run=run(**limits), p=_power(metric, p), **_subset(base, subset)
    )
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
    subset: Any = None,
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
    subset : array_like of bool or int, optional
        The points of the base that count: a flag a point, or their ids. The search takes as long as one of so many points.
    progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.

    Returns
    -------
    Neighbours
        (distances, ids) of shape (queries, k), nearest first, of the base's type and int64; -1 and infinity where there
        are fewer. With `radius` two lists of arrays. Points with ids of their own have these.

    Raises
    ------
    ValueError
        `k` outside 1 to 1048576; queries of another dimension or kind; a metric that there is not, or that is for other
        points; a `p` below 1, or of another metric; a radius of NaN, another number of them, or with more points within it than KNN_MOST;
        a subset of no point, of ids that no point has, or of another number of flags.
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
        return _knn(base, queries, k, metric, limits, p=p, subset=subset)
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
        distances, ids = _knn(base, queries, k, metric, limits, p=p, subset=subset)
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
    return {word_of("ww_metric", m): KINDS[lib.ww_metric_kind(m)] for m in ffi.typeof("ww_metric").elements}
