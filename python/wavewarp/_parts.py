# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbours in parts of the queries and shards of the base, and how results of parts are joined."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Optional, Tuple

import numpy as np

from ._arrays import as_numbers, doubles, whole
from ._core import NULL, Progress, alone, check, handle, info, keep, lib, new, number, plan_options
from ._dataset import datasets
from ._measure import MeasureLike
from ._measure import measure as as_measure
from ._series import neighbours, output, pointer, precision_of


def shard(count: int, dtype, *, query_offset=0, base_offset=0, exclude_self=False, initial: Any = None):
    """A ww_nearest_shard for so many queries, with results of that type."""
    bound = None if initial is None else doubles("initial", initial).astype(dtype)
    if bound is not None and bound.shape != (count,):
        raise ValueError(f"initial: one distance for each of {count} queries, not {bound.shape}")
    made = new(
        "ww_nearest_shard",
        query_offset=query_offset,
        base_offset=base_offset,
        exclude_self=bool(exclude_self),
        initial=None if bound is None else pointer(bound),
    )
    return keep(made, bound)


class NearestPlan:
    """A prepared search for the k nearest series, or for those in one part of a larger base.

    merge_neighbours() joins the results of parts. On devices of one kind they are then those of the whole, bit for bit.

    Parameters
    ----------
    measure : Measure or str
        measures() lists the names.
    queries, base : Dataset, or what one takes
        `base` None: the queries, each without itself.
    k : int
        Neighbours of a query.
    query_offset, base_offset : int
        The numbers of the first query and of the first series of the base in the whole sets; indices count from there.
    exclude_self : bool
        The whole sets are one: no query finds itself.
    initial : array_like, optional
        Each query's k-th distance so far. Series that are farther are not reported (index -1).
    engine, no_bounds, progress, max_bytes
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure.

    Raises
    ------
    ValueError
        k of 0; an offset below 0; another number of initial distances; datasets of different contexts, precisions or
        channels.

    Examples
    --------
    >>> queries, base = [[0.0, 1, 2]], [[0.0, 1, 3], [5.0, 5, 5], [0.0, 1, 2]]
    >>> first = ww.NearestPlan("dtw", queries, base[:2], 2).run()
    >>> second = ww.NearestPlan("dtw", queries, base[1:], 2, base_offset=1).run()
    >>> second[1].tolist()
    [[2, 1]]
    """

    def __init__(
        self,
        measure: MeasureLike,
        queries,
        base=None,
        k: int = 1,
        *,
        query_offset: int = 0,
        base_offset: int = 0,
        exclude_self: bool = False,
        initial: Any = None,
        engine: str = "auto",
        no_bounds: bool = False,
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters,
    ) -> None:
        queries, base = datasets(queries, base, names=("queries", "base"))
        self.k, self.queries, self.base = k, queries, base
        self._handle = handle("ww_plan")
        part = shard(
            len(queries),
            queries.dtype,
            query_offset=query_offset,
            base_offset=base_offset,
            exclude_self=exclude_self,
            initial=initial,
        )
        # The progress function lives as long as the plan.
        self._options = plan_options(engine, no_bounds, progress=progress, max_bytes=max_bytes)
        c = as_measure(measure, parameters).c(max(queries.longest, 0 if base is None else base.longest))
        check(
            lib.ww_plan_create_nearest_shard(
                c, queries._c, NULL if base is None else base._c, k, part, self._options, self._handle
            )
        )

    @alone
    def run(self, row: int = 0, rows: Optional[int] = None) -> Tuple[np.ndarray, np.ndarray]:
        """The neighbours of some of the queries, nearest first.

        Parameters
        ----------
        row : int
            The first query.
        rows : int, optional
            How many queries; None: to the last.

        Returns
        -------
        (numpy.ndarray, numpy.ndarray)
            Distances in the datasets' type, and indices, of shape (rows, k).

        Raises
        ------
        ValueError
            Rows that are not of the queries.
        MemoryError
            Host or device memory is too small. What progress raises is raised too.
        """
        row = number("row", row)
        rows = len(self.queries) - row if rows is None else rows
        indices, values = neighbours(rows, self.k, self.queries.dtype)
        to = output(indices, "int64_t"), pointer(values)
        if row == 0 and rows == len(self.queries):
            check(lib.ww_plan_run_nearest(self._handle[0], *to))
        else:
            check(lib.ww_plan_run_nearest_rows(self._handle[0], row, rows, *to))
        return values, indices

    @property
    @alone
    def info(self) -> SimpleNamespace:
        """What the last run did: pairs, pairs_pruned, pairs_abandoned, cells, launches, ..."""
        record = new("ww_plan_info")
        check(lib.ww_plan_get_info(self._handle[0], record))
        return info(record)


def nearest_shard(queries, base: Any, k: int = 1, measure: MeasureLike = "dtw", **options):
    """The k nearest series in one part of a larger base: what NearestPlan(...).run() gives.

    Parameters
    ----------
    queries, base : Dataset, or what one takes
        The queries, and the part of the base.
    k : int
        Neighbours of a query.
    measure : Measure or str
        measures() lists the names.
    **options
        As of NearestPlan, and the measure's parameters.

    Returns
    -------
    (numpy.ndarray, numpy.ndarray)
        Distances and indices, of shape (queries, k).

    Raises
    ------
    ValueError
        What NearestPlan() refuses.

    Examples
    --------
    >>> distances, indices = ww.nearest_shard([[0.0, 1, 2]], [[5.0, 5, 5], [0.0, 1, 2]], base_offset=10)
    >>> indices.tolist(), distances.tolist()
    ([[11]], [[0.0]])
    """
    return NearestPlan(measure, queries, base, k, **options).run()


def merge_neighbours(first, second, *, similarity: bool = False) -> Tuple[np.ndarray, np.ndarray]:
    """Joins the neighbours of two parts of a base: the k nearest of both.

    Parameters
    ----------
    first, second : (array_like, array_like)
        (distances, indices) of shape (queries, k) each. Of equal distances the first list's come first.
    similarity : bool
        The largest are the nearest.

    Returns
    -------
    (numpy.ndarray, numpy.ndarray)
        Distances and indices, of shape (queries, k).

    Raises
    ------
    ValueError
        Shapes that differ, or are not (queries, k).
    TypeError
        No numbers.

    Examples
    --------
    >>> distances, indices = ww.merge_neighbours(([[0.0, 3.0]], [[4, 1]]), ([[1.0, 2.0]], [[10, 12]]))
    >>> indices.tolist(), distances.tolist()
    ([[4, 10]], [[0.0, 1.0]])
    """
    values, indices = np.array(as_numbers(first[0]), order="C"), np.array(whole("indices", first[1]), order="C")
    others = np.ascontiguousarray(as_numbers(second[0]), values.dtype)
    other_indices = whole("indices", second[1])
    if not values.shape == indices.shape == others.shape == other_indices.shape or values.ndim != 2:
        raise ValueError("lists of different shapes")
    check(
        lib.ww_neighbours_merge(
            *values.shape,
            precision_of(values.dtype),
            bool(similarity),
            output(indices, "int64_t"),
            pointer(values),
            output(other_indices, "int64_t"),
            pointer(others),
        )
    )
    return values, indices
