# SPDX-License-Identifier: Apache-2.0
"""Distances of pairs and sets, the nearest, and warping paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, List, Optional

import numpy as np

from ._arrays import of_argument, told_of
from ._context import Context, default_context
from ._core import NULL, InvalidError, Progress, alone, check, ffi, lib, new, plan_options, word_of
from ._dataset import datasets
from ._measure import MeasureLike, Options
from ._measure import measure as as_measure
from ._buffer import Buffer
from ._results import Neighbours, Path, Paths
from ._series import neighbours, one_array, output, result, sizes, to_output

if TYPE_CHECKING:
    from typing_extensions import Unpack
from ._plan import Plan


def series_pair(x, y, axes):
    """Two series as arrays (channel, time) in double, of as many channels."""
    sides = []
    for name, side in (("x", x), ("y", y)):
        sides.append(np.ascontiguousarray(of_argument(name, one_array, side, axes), np.float64))
    if sides[0].shape[0] != sides[1].shape[0]:
        raise ValueError(f"x has {sides[0].shape[0]} channels, and y has {sides[1].shape[0]}")
    return sides


def distance(
    x: Any,
    y: Any,
    measure: MeasureLike = "dtw",
    *,
    axes: Optional[str] = None,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> float:
    """The distance of two series: without a root unless root=True. That of DTW is a sum of squares; tslearn takes its root.

    It is computed in double where the device has it.

    Parameters
    ----------
    x, y : array_like of shape (time,) or (channel, time), or str
        The two series, of any lengths; or two texts, whose characters are the points.
    measure : Measure or str
        measures() lists the names.
    axes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``root=True``, ``c=0.5``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Other channels; no points, NaN; a band that leaves no path; the measure's words.
    TypeError
        No numbers.

    Examples
    --------
    >>> ww.distance([0, 1, 2, 3], [0, 0, 2, 5])
    5.0
    >>> ww.distance([0, 1, 2, 3], [0, 0, 2, 5], "msm", c=0.5)
    3.0
    >>> ww.distance("kitten", "sitting", "levenshtein")
    3.0
    """
    x, y = series_pair(x, y, axes)
    value = ffi.new("double *")
    longest = max(x.shape[1], y.shape[1])
    status = lib.ww_distance(
        (context or default_context())._c,
        as_measure(measure, parameters).c(longest),
        output(x, "double"),
        x.shape[1],
        output(y, "double"),
        y.shape[1],
        x.shape[0],
        value,
    )
    if status != lib.WW_OK:
        _check_pair(status, x)
    return value[0]


def _check_pair(status, x):
    """Raises what the status stands for; of values that are not finite it says whose they are."""
    try:
        check(status)
    except InvalidError as error:
        if error.status == "WW_ERROR_NOT_FINITE":
            raise told_of("y" if np.isfinite(x).all() else "x", error)
        raise


def _listed(indices):
    """What Plan takes for a list of pairs: None, which would be the whole matrix, is no list."""
    return () if indices is None else indices


def cdist(
    x: Any,
    y: Any = None,
    measure: MeasureLike = "dtw",
    *,
    out: Optional[np.ndarray] = None,
    engine: str = "auto",
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> np.ndarray:
    """All distances between two sets, without a root unless root=True: an array of shape (len(x), len(y)).

    Parameters
    ----------
    x, y : Dataset, or what one takes
        The sets; `y` None: `x` with itself.
    measure : Measure or str
        measures() lists the names.
    out : numpy.ndarray, optional
        Takes the distances: of that shape and type.
    axes, precision, engine, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``root=True``, ``c=0.5``.

    Returns
    -------
    numpy.ndarray
        Of the datasets' type: float32 for float32 series, else float64; precision="float" computes in float.

    Raises
    ------
    ValueError
        `out` is of another shape or type; what Dataset() and Plan() refuse.
    TypeError
        `out` is no array.

    Examples
    --------
    >>> x = [[0, 0, 2, 5], [0, 1, 2, 3], [1, 1, 1, 1]]
    >>> ww.cdist(x).tolist()
    [[0.0, 5.0, 19.0], [5.0, 0.0, 6.0], [19.0, 6.0, 0.0]]
    """
    rows, columns = datasets(x, y, axes=axes, precision=precision, context=context)
    plan = Plan(measure, rows, columns, engine=engine, progress=progress, max_bytes=max_bytes, **parameters)
    return plan.run(out)


pairwise_distances = cdist


def need_distance(measure, longest=100):
    """Refuses a similarity: what groups distances would group the least alike."""
    if lib.ww_measure_is_similarity(measure.c(longest)):
        other = {"lcs": "levenshtein", "lcss": "lcss without similarity"}.get(measure.name, "a distance")
        raise ValueError(
            f"{measure.name} is a similarity: its largest values are of the series most alike. Take {other}, or cdist()"
        )
    return measure


_FOLDS = {"mean": lambda a, b: a / 2 + b / 2, "least": np.minimum, "most": np.maximum}


def fold(matrix, symmetrise=None):
    """The condensed form of a square matrix. symmetrise: of two values of a pair; None: they may not differ."""
    if symmetrise is not None and symmetrise not in _FOLDS:
        raise ValueError(f"symmetrise is {symmetrise!r}, none of {', '.join(_FOLDS)}")
    upper = np.triu_indices(len(matrix), 1)
    one, other = matrix[upper], matrix.T[upper]
    if symmetrise is not None:
        return np.ascontiguousarray(_FOLDS[symmetrise](one, other))
    with np.errstate(invalid="ignore"):
        differ = (one != other) & (np.abs(one - other) > 1e-5 * np.maximum(np.abs(one), np.abs(other)))
    if differ.any():
        at = int(np.argmax(differ))
        raise ValueError(
            f"not symmetric: {one[at]:.9g} from item {upper[0][at]} to {upper[1][at]}, {other[at]:.9g} the other way. "
            "Say what becomes of both: symmetrise='mean', 'least' or 'most' of pdist(), or fold the matrix"
        )
    return np.ascontiguousarray(one)


def pdist(
    x: Any,
    measure: MeasureLike = "dtw",
    *,
    symmetrise: Optional[str] = None,
    out: Optional[np.ndarray] = None,
    engine: str = "auto",
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> np.ndarray:
    """The distances within a set, without a root unless root=True, in SciPy's condensed form: n (n - 1) / 2 values.

    Parameters
    ----------
    x : Dataset, or what one takes
        The set.
    measure : Measure or str
        A distance; measures() lists the names.
    symmetrise : "mean", "least" or "most", optional
        What becomes of d(x, y) and d(y, x) where they differ, as under Levenshtein with unequal costs, unequal open ends
        or a cost of your own.
    out : numpy.ndarray, optional
        Takes the distances: of that shape and type, as of cdist().
    axes, precision, engine, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``root=True``, ``c=0.5``.

    Returns
    -------
    numpy.ndarray
        For linkage(), medoids() and scipy.cluster.hierarchy.

    Raises
    ------
    ValueError
        A similarity, which is no distance; a measure under which d(x, y) and d(y, x) differ, without `symmetrise`; `out`
        is of another shape or type; what Dataset() and Plan() refuse.

    Examples
    --------
    >>> ww.pdist([[0, 0, 2, 5], [0, 1, 2, 3], [1, 1, 1, 1]]).tolist()
    [5.0, 19.0, 6.0]
    """
    rows, _ = datasets(x, None, axes=axes, precision=precision, context=context)
    chosen = need_distance(as_measure(measure, parameters), rows.longest)
    plan = Plan(chosen, rows, engine=engine, progress=progress, max_bytes=max_bytes)
    values = result(out, (len(rows) * (len(rows) - 1) // 2,), rows.dtype)
    if symmetrise is not None or not lib.ww_measure_is_symmetric(chosen.c(rows.longest)):
        if isinstance(values, Buffer):
            raise ValueError("symmetrise works in host memory: out has to be an array, not a Buffer")
        values[:] = fold(plan.run(), symmetrise)
        return values
    check(lib.ww_plan_run(plan._c, to_output(values, layout=lib.WW_LAYOUT_CONDENSED)))
    return values


def pairs(
    x: Any,
    y: Any,
    measure: MeasureLike = "dtw",
    *,
    indices: Any = True,
    out: Optional[np.ndarray] = None,
    engine: str = "auto",
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> np.ndarray:
    """Distances of pairs, x[i] with y[i] or indices=(i, j), without a root unless root=True: an array, one a pair.

    Parameters
    ----------
    x, y : Dataset, or what one takes
        The sets, of one size where `indices` is True.
    measure : Measure or str
        measures() lists the names.
    indices : True, or two sequences of int
        True: x[i] with y[i]. Two lists: x[i] with y[j] for the i and j of the lists.
    out : numpy.ndarray, optional
        Takes the distances: of that shape and type, as of cdist().
    axes, precision, engine, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``root=True``, ``c=0.5``.

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    ValueError
        Sets of different sizes where `indices` is True; no pairs, lists of different lengths, indices out of range; `out`
        is of another shape or type.
    TypeError
        Indices that are no whole numbers.

    Examples
    --------
    >>> x = [[0, 0, 2, 5], [0, 1, 2, 3], [1, 1, 1, 1]]
    >>> ww.pairs(x, x, indices=([0, 2], [1, 1])).tolist()
    [5.0, 6.0]
    """
    rows, columns = datasets(x, y, axes=axes, precision=precision, context=context)
    plan = Plan(
        measure,
        rows,
        columns,
        pairs=_listed(indices),
        engine=engine,
        progress=progress,
        max_bytes=max_bytes,
        **parameters,
    )
    return plan.run(out)


def kneighbors(
    queries,
    base: Any = None,
    k: int = 1,
    measure: MeasureLike = "dtw",
    *,
    engine: str = "auto",
    no_bounds: bool = False,
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> Neighbours:
    """The k nearest series of `base` to each query, with distances without a root unless root=True.

    Of equal distances the lower index comes first. Near ties in float are decided in double.

    Parameters
    ----------
    queries, base : Dataset, or what one takes
        `base` None: the queries themselves, each without itself.
    k : int
        Neighbours a query.
    measure : Measure or str
        measures() lists the names.
    no_bounds : bool
        Computes every distance; results are the same.
    axes, precision, engine, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``root=True``, ``c=0.5``.

    Returns
    -------
    Neighbours
        (distances, indices), float64 and int64 of shape (queries, k), nearest first; index -1 and distance infinity
        where there are fewer than k.

    Raises
    ------
    ValueError
        `k` below 1; one series alone, where `base` is None; what Dataset() and Plan() refuse.

    Examples
    --------
    >>> distances, indices = ww.kneighbors([[0, 1, 2, 4]], [[0, 0, 2, 5], [0, 1, 2, 3], [1, 1, 1, 1]], k=2)
    >>> indices.tolist(), distances.tolist()
    ([[1, 0]], [[1.0, 2.0]])
    """
    rows, columns = datasets(queries, base, axes=axes, precision=precision, context=context, names=("queries", "base"))
    indices, values = neighbours(len(rows), k, np.float64)
    longest, measure = max(rows.longest, columns.longest if columns is not None else 0), as_measure(measure, parameters)
    check(
        lib.ww_nearest(
            measure.c(longest),
            rows._c,
            columns._c if columns is not None else NULL,
            k,
            plan_options(engine, no_bounds, progress=progress, max_bytes=max_bytes),
            output(indices, "int64_t"),
            output(values, "double"),
        )
    )
    return Neighbours(values, indices)._under(measure)


class CellsOfPaths(Sequence):
    """A list of arrays, each a part of one array of cells, which are made when asked for: ten thousand take milliseconds."""

    def __init__(self, cells, offsets):
        self.cells, self.offsets = cells, offsets

    def __len__(self):
        return len(self.offsets) - 1

    def __getitem__(self, place):
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        at = range(len(self))[place]
        return self.cells[self.offsets[at] : self.offsets[at + 1]]

    def __iter__(self):
        return (self.cells[a:b] for a, b in zip(self.offsets, self.offsets[1:]))

    def __repr__(self):
        return repr(list(self))


def paths_of(record) -> Paths:
    """The Paths of a ww_paths, whose memory the arrays of cells keep, and free with the last of them."""
    owned = ffi.gc(record.cells, lambda _: lib.ww_paths_free(record))
    offsets = ffi.unpack(record.offsets, record.count + 1)
    distances = np.frombuffer(ffi.buffer(record.distances, 8 * record.count)).copy()
    cells = np.frombuffer(ffi.buffer(owned, 8 * offsets[-1]), np.int32) if offsets[-1] else np.empty(0, np.int32)
    return Paths(CellsOfPaths(cells.reshape(-1, 2), offsets), distances)


def path(
    x: Any,
    y: Any,
    measure: MeasureLike = "dtw",
    *,
    axes: Optional[str] = None,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> Path:
    """The warping path of two series, and their distance without a root unless root=True: a Path (cells, distance).

    Parameters
    ----------
    x, y : array_like of shape (time,) or (channel, time), or str
        The two series, or two texts.
    measure : Measure or str
        measures() lists the names.
    axes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``root=True``, ``c=0.5``.

    Returns
    -------
    Path
        cells, of shape (n, 2), match point i of x with point j of y; -1: a point before the first match, without a
        partner (ERP, EDR, LCSS, Levenshtein, LCS).

    Raises
    ------
    ValueError
        A soft measure, which has no path; a band that leaves none; other channels; no points, NaN.
    TypeError
        No numbers.

    Examples
    --------
    >>> cells, distance = ww.path([0, 1, 2], [0, 2, 2])
    >>> cells.tolist(), distance
    ([[0, 0], [1, 1], [2, 2]], 1.0)
    """
    x, y = series_pair(x, y, axes)
    record, measure = new("ww_paths"), as_measure(measure, parameters)
    status = lib.ww_path(
        (context or default_context())._c,
        measure.c(max(x.shape[1], y.shape[1])),
        output(x, "double"),
        x.shape[1],
        output(y, "double"),
        y.shape[1],
        x.shape[0],
        record,
    )
    _check_pair(status, x)
    cells, distances = paths_of(record)
    return Path(cells[0], float(distances[0]))._under(measure)


def paths(
    x: Any,
    y: Any,
    measure: MeasureLike = "dtw",
    *,
    indices: Any = True,
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> Paths:
    """The warping paths of listed pairs, and distances without a root unless root=True: Paths (cells, distances).

    Parameters
    ----------
    x, y : Dataset, or what one takes
        The sets, of one size where `indices` is True.
    measure : Measure or str
        measures() lists the names.
    indices : True, or two sequences of int
        The pairs, as of pairs().
    axes, precision, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``root=True``, ``c=0.5``.

    Returns
    -------
    Paths
        cells is a list of those of path().

    Raises
    ------
    ValueError
        A soft measure, which has no path; indices as for pairs().
    MemoryError
        The paths do not fit.

    Examples
    --------
    >>> cells, distances = ww.paths([[0, 1, 2], [1, 1, 1]], [[0, 2, 2], [1, 2, 1]])
    >>> cells[1].tolist(), distances.tolist()
    ([[0, 0], [1, 1], [2, 2]], [1.0, 1.0])
    """
    rows, columns = datasets(x, y, axes=axes, precision=precision, context=context)
    plan = Plan(
        measure, rows, columns, pairs=_listed(indices), paths=True, progress=progress, max_bytes=max_bytes, **parameters
    )
    record = new("ww_paths")
    check(lib.ww_plan_run_paths(plan._c, record))
    return paths_of(record)._under(plan.measure)


def engines() -> List[str]:
    """Names of the engines.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "auto" in ww.engines()
    True
    """
    kinds = ffi.typeof("ww_engine").elements
    return [word_of("ww_engine", value) for value in kinds]
