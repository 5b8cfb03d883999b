# SPDX-License-Identifier: Apache-2.0
"""Locality-sensitive hashing of points: approximate nearest neighbours."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Optional, Tuple, Union

import numpy as np

from ._arrays import of_argument, whole
from ._context import Context
from ._core import NULL, Progress, alone, assign, check, handle, info, keep, lib, new, run, word, word_of
from ._parts import shard
from ._point_files import KINDS
from ._points import asking_of, metric_of, points_of
from ._results import Neighbours, many
from ._saved import Functions, Saved
from ._series import DTYPES, neighbours, output, pointer


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
    """The probability that one hash function gives two points the same value.

    Parameters
    ----------
    metric : str
        One with a family of hash functions: "l2", "l2-squared", "l1", "cosine", "hamming", "jaccard".
    distance : float
        Of the two points.
    width : float
        The buckets' width, under "l2", "l2-squared" and "l1".
    dimension : int
        The number of bits, under "hamming".

    Returns
    -------
    float
        From 0 to 1; NaN where it has no meaning.

    Raises
    ------
    ValueError
        There is no such metric.

    Examples
    --------
    >>> round(ww.lsh_collision("hamming", 2, dimension=8), 2)
    0.75
    """
    return lib.ww_lsh_collision(metric_of(metric), distance, width, dimension)


class LSH(Saved):
    """Hash tables of points: approximate neighbours. An index pickles, and can be saved.

    Without tables, functions, width and probes these are measured and chosen, as by choose(), so that the `k` nearest are
    found with a share of `recall`: `choice` is the record of what was measured, None where they were given.

    Parameters
    ----------
    points : Points, or what they take
        The base.
    metric : str
        l2, l2-squared, l1, cosine, hamming or jaccard; other libraries' names, as "euclidean", are taken too.
    recall, k
        The share of the `k` nearest points that chosen parameters find.
    tables : int, optional
        How many, from 1 on; None, where others are given: 10.
    functions : int, optional
        Of a table, 1 to 64; None: 10.
    width : float, optional
        Of a segment under l2 and l1, above 0, in the unit of the distances; None: 1.5.
    probes : int, optional
        Buckets that are searched in every table, 1 to 1024; None: 1.
    candidates : int, optional
        Points that a query examines at most, 1 to 4096.
    seed : int
        The same one gives the same tables.
    complete : bool
        A query that finds fewer than k is searched again, exactly.
    path : "auto", "buckets" or "queries"
        How buckets are searched.
    progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.

    Raises
    ------
    ValueError
        A metric without hash family; tables, functions, probes or width out of range; `path`; no tables reach the recall:
        the text says what to give.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=(500, 8))
    >>> index = ww.LSH(points)
    >>> distances, ids = index.search(k=10)
    >>> ww.knn_recall(ww.knn(points, k=10).distances, distances) > 0.85
    True
    >>> index.add(points[:1])
    >>> index.remove(0)
    >>> index.search(points[:1]).ids.tolist()
    [[500]]
    >>> index.set_options(complete=True)
    >>> copy = ww.LSH.from_bytes(index.to_bytes())
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index.save(os.path.join(folder, "base.wwlsh"))
    ...     len(ww.LSH.load(os.path.join(folder, "base.wwlsh"))) == len(copy)
    True
    >>> made, told = ww.LSH.choose(points, 5, 0.9, queries=10000)
    >>> told.measured_recall >= 0.9 or made is None
    True
    >>> sets = [ww.LSH(part, metric="l1", tables=8, functions=2, width=8.0) for part in (points[:250], points[250:])]
    >>> parts = [made.search_shard(points[:5], 3, base_offset=at) for made, at in zip(sets, (0, 250))]
    >>> ww.merge_neighbours(*parts)[1][:, 0].tolist()
    [0, 1, 2, 3, 4]
    """

    _functions = Functions("ww_lsh", lib.ww_lsh_save, lib.ww_lsh_save_to, lib.ww_lsh_load, lib.ww_lsh_load_from)

    choice: Optional[SimpleNamespace] = None

    def __init__(
        self,
        points: Any,
        *,
        metric: str = "l2",
        recall: float = 0.9,
        k: int = 10,
        tables: Optional[int] = None,
        functions: Optional[int] = None,
        width: Optional[float] = None,
        probes: Optional[int] = None,
        candidates: Optional[int] = None,
        seed: int = 1,
        complete: bool = False,
        path: str = "auto",
        progress: Progress = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
    ) -> None:
        points = of_argument("points", points_of, points, context=context)
        self._handle, limits = handle("ww_lsh"), run(progress, max_bytes)
        fields: Any = {"path": word("ww_lsh_path", path), "candidates": candidates, "complete": bool(complete)}
        sizes = {"tables": tables, "functions": functions, "width": width, "probes": probes}
        few = len(points) < 3  # nothing can be learnt from: what tables leave out is searched exactly
        fields["complete"] |= few and all(value is None for value in sizes.values())
        if few or any(value is not None for value in sizes.values()):
            options = new("ww_lsh_options", run=limits, metric=metric_of(metric), seed=seed, **sizes, **fields)
        else:
            k = max(1, min(k, len(points) - 1))
            options, self.choice = _chosen(points, limits, metric=metric_of(metric), k=k, recall=recall, seed=seed)
            if options is None:
                raise ValueError(
                    f"no tables reach a recall of {recall:g} faster than exact search, which is knn(): give tables, "
                    "functions and width yourself, or a lower recall"
                )
            assign(options, fields)
        self._set(points, options)

    def _set(self, points, options):
        self.context, self._run = points.context, options
        check(lib.ww_lsh_create(points._c, options, self._handle))
        return self

    @property
    def kind(self) -> str:
        """As Points.kind."""
        return KINDS[lib.ww_lsh_kind(self._c)]

    @property
    def dtype(self) -> np.dtype:
        """As Points.dtype."""
        return DTYPES[word_of("ww_precision", lib.ww_lsh_precision(self._c))]

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

        Parameters
        ----------
        points : Points, or what one takes
            The new points.

        Raises
        ------
        ValueError
            Points of another dimension or kind; NaN or infinity.
        MemoryError
            Host or device memory is too small.
        """
        points = of_argument("points", points_of, points, self)
        check(lib.ww_lsh_add(self._c, points._c))

    @alone
    def remove(self, ids: Any) -> None:
        """Removes points: no search finds them any more.

        Parameters
        ----------
        ids : int or array_like of int
            Their numbers.

        Raises
        ------
        ValueError
            An id that no point has. Then none is removed.
        """
        ids = np.atleast_1d(whole("ids", ids))
        check(lib.ww_lsh_remove(self._c, output(ids, "int64_t"), ids.size))

    @alone
    def search(self, queries=None, k: int = 1, *, rows: Union[None, range, slice] = None) -> Neighbours:
        """The nearest points of each query. As of knn(), but some neighbours may be missing.

        Parameters
        ----------
        queries : Points, or what one takes, optional
            None: the index itself, each point without itself.
        k : int
            Neighbours of a query, 1 to 1024.
        rows : range or slice, optional
            The queries for which results are made.

        Returns
        -------
        Neighbours
            (distances, ids) of shape (queries, k).

        Raises
        ------
        ValueError
            Queries of another dimension or kind; k outside 1 to 1024; rows that are not of the queries, or not one
            after the other.
        TypeError
            Rows is neither range nor slice.
        """
        queries = of_argument("queries", points_of, queries, self)
        part = _part(rows, len(queries if queries is not None else self))
        ids, distances = neighbours(len(part), k, self.dtype)
        to = output(ids, "int64_t"), pointer(distances)
        check(lib.ww_lsh_run_rows(self._c, asking_of(queries), part.start, len(part), k, *to, NULL))
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
        """The nearest in tables over one part of a larger base, for merge_neighbours(). Not under "l2".

        Parameters
        ----------
        queries : Points, or what one takes, optional
            None: the index itself.
        k : int
            Neighbours of a query, 1 to 1024.
        query_offset, base_offset, exclude_self, initial
            As of NearestPlan.

        Returns
        -------
        Neighbours
            (distances, ids) of shape (queries, k).

        Raises
        ------
        ValueError
            Under "l2"; an offset below 0; what search() refuses.
        """
        queries = of_argument("queries", points_of, queries, self)
        count = len(queries if queries is not None else self)
        ids, distances = neighbours(count, k, self.dtype)
        part = dict(query_offset=query_offset, base_offset=base_offset, exclude_self=exclude_self, initial=initial)
        made = shard(len(ids), self.dtype, **part)
        to = output(ids, "int64_t"), pointer(distances)
        check(lib.ww_lsh_run_shard(self._c, asking_of(queries), k, made, *to, NULL))
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
        """Changes how later searches are done. What tables are made for does not change.

        Parameters
        ----------
        probes, candidates, path, complete
            As of LSH; None: as it is.

        Raises
        ------
        ValueError
            More probes than the tables are made for; a number out of range; another word for `path`.
        """
        record = self._options()
        changes: Any = {"probes": probes, "candidates": candidates, "complete": complete}
        assign(record, {**changes, "path": None if path is None else word("ww_lsh_path", path)})
        check(lib.ww_lsh_set_options(self._c, record))

    def __repr__(self):
        told, made, how = self.info, self.options, ""
        if self.choice is not None:
            how = f"; chosen, recall {self.choice.measured_recall:.3g} of a sample"
            how += ", exact search is faster" * self.choice.exact_is_faster
        return (
            f"<wavewarp.LSH of {told.points} points ({self.kind}, dimension {told.dimension}), {made.metric}: "
            f"{many(made.tables, 'table')} of {many(made.functions, 'function')}, {many(made.probes, 'probe')} a table{how}>"
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
        """An index whose parameters reach a recall in the least time.

        Parameters
        ----------
        points : Points, or what one takes
            The base.
        k : int
            Neighbours of a query, 1 to 1024.
        recall : float
            The share of the k nearest that has to be found, above 0 and below 1.
        metric : str
            metrics() lists the names.
        queries : int
            Number of queries that the index will have; 0: as many as `asking`.
        sample : int
            Points to learn from, drawn by `seed`; 0: 512.
        seed : int
            Of the sample and the tables.
        asking : Points, or what one takes, optional
            Points that will ask, or many like them; None: the points themselves.
        progress, max_bytes, context
            What every job takes: ``help(wavewarp)`` has them.

        Returns
        -------
        (LSH or None, types.SimpleNamespace)
            The index, and a record of what was measured. Where exact search is faster, exact_is_faster is 1 and the
            index may be None.

        Raises
        ------
        ValueError
            k out of range; a recall that does not lie between 0 and 1; points that ask of another dimension or kind.
        """
        points = of_argument("points", points_of, points, context=context)
        asking = of_argument("queries", points_of, asking, points)
        limits, asked = run(progress, max_bytes), None if asking is None else asking._c
        target = {"metric": metric_of(metric), "k": k, "recall": recall, "seed": seed}
        options, told = _chosen(points, limits, **target, queries=queries, sample=sample, asking=asked)
        if options is None:
            return None, told
        made = cls.__new__(cls)
        made._handle, made.choice = handle("ww_lsh"), told
        return made._set(points, options), told


def _chosen(points, limits, **target):
    """(ww_lsh_options or None, the record of what was measured) that reach a ww_lsh_target."""
    options, choice = new("ww_lsh_options"), new("ww_lsh_choice")
    status = lib.ww_lsh_choose(points._c, new("ww_lsh_target", run=limits, **target), options, choice)
    told = info(choice)
    if status == lib.WW_ERROR_UNSUPPORTED and told.exact_is_faster:
        return None, told
    check(status)
    options.run = limits
    return keep(options, limits), told
