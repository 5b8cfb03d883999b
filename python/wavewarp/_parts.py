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

    queries, base: a Dataset, or what one takes; base None: the queries, each without itself. query_offset, base_offset:
    the numbers of their first series in the whole sets, from which indices count. exclude_self: the whole sets are one.
    initial: each query's k-th distance so far: what is farther is not reported (index -1). merge_neighbours() joins the
    parts; results are then those of the whole, bit for bit, on devices of one kind.

    Raises ValueError (k of 0; an offset below 0; another number of initial distances; datasets of different contexts,
    precisions or channels).
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
        """(distances, indices) of queries [row, row + rows), None: to the last, in the datasets' type; nearest first.

        Raises ValueError (rows that are not of the queries), MemoryError, and what progress raises.
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
    """The k nearest in one part of a larger base: (distances, indices) of NearestPlan(), with its options.

    Raises what NearestPlan() raises: ValueError.
    """
    return NearestPlan(measure, queries, base, k, **options).run()


def merge_neighbours(first, second, *, similarity: bool = False) -> Tuple[np.ndarray, np.ndarray]:
    """Joins two lists (distances, indices) of parts of a base, of shape (queries, k) each: the k nearest of both.

    similarity: the largest are the nearest. Of equal distances the first list's come first.

    Raises ValueError (shapes that differ, or are not (queries, k)), TypeError (no numbers).
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
