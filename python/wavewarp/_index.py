# SPDX-License-Identifier: Apache-2.0
"""An index of series: approximate nearest neighbours under any measure, with recall promised."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._arrays import whole
from ._context import Context
from ._core import NULL, Progress, alone, check, handle, info, lib, new, run, text, word_of
from ._dataset import datasets
from ._measure import MeasureLike, Options
from ._measure import measure as as_measure
from ._results import Neighbours, many
from ._saved import Functions, Saved
from ._series import DTYPES, neighbours, output, pointer

if TYPE_CHECKING:
    from typing_extensions import Unpack


class SeriesIndex(Saved):
    """A graph of series, each linked to near ones: approximate neighbours under any measure.

    How much of the graph a search looks at is chosen so that the `k` nearest are found with a share of `recall`, which is
    measured on series of the base, each without itself; choose() measures it with queries. `info` says what was measured.
    Where an exact search takes less work, searches are exact, and `info.exact` is 1. An index pickles, and can be saved.

    Parameters
    ----------
    series : Dataset, or what one takes
        The base.
    measure : Measure or str
        measures() lists the names. A distance is that of the query to a series of the base.
    recall : float
        Share of the k nearest that searches find, above 0 and below 1.
    k : int
        Neighbours of a query that the recall is of, 1 to 4096.
    beam : int, optional
        Series that a search keeps, 1 to 4096; None: as the recall needs.
    links : int
        Links of a series at most, 4 to 128.
    neighbours : int
        Neighbours of each series that the build looks for, links / 2 to 128.
    sample : int
        Queries that the recall is measured with; 0: 512.
    seed : int
        Of everything that is random: the same one gives the same graph.
    axes, precision, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``root=True``, ``c=0.5``.

    Raises
    ------
    ValueError
        A recall, k, beam, links or number of neighbours out of range; what Dataset() and Plan() refuse.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> series = ww.generate("cbf", 300, seed=3)
    >>> index = ww.SeriesIndex(series, band="sakoe-chiba:10%", recall=0.9)
    >>> distances, ids = index.search(series, k=1)
    >>> float(np.mean(ids[:, 0] == np.arange(300))) > 0.9
    True
    >>> index.add(series[:2])
    >>> index.remove([0, 1])
    >>> index.search(series[:1], k=1).ids.tolist()
    [[300]]
    >>> told = index.choose(recall=0.8, k=5)
    >>> told.exact or told.recall_low >= 0.8
    1
    >>> index.set_beam(50)
    >>> len(ww.SeriesIndex.from_bytes(index.to_bytes()))
    302
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index.save(os.path.join(folder, "base.wwi"))
    ...     len(ww.SeriesIndex.load(os.path.join(folder, "base.wwi")))
    302
    """

    _functions = Functions("ww_index", lib.ww_index_save, lib.ww_index_save_to, lib.ww_index_load, lib.ww_index_load_from)

    def __init__(
        self,
        series: Any,
        measure: MeasureLike = "dtw",
        *,
        recall: float = 0.95,
        k: int = 10,
        beam: Optional[int] = None,
        links: int = 32,
        neighbours: int = 48,
        sample: int = 0,
        seed: int = 1,
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        context: Optional[Context] = None,
        **parameters: Unpack[Options],
    ) -> None:
        base, _ = datasets(series, None, axes=axes, precision=precision, context=context, names=("series", "base"))
        self.context, self._handle = base.context, handle("ww_index")
        self._run = run(progress, max_bytes)
        target = new("ww_index_target", k=k, recall=recall, sample=sample, seed=seed)
        fields: Any = {"degree": links, "neighbours": neighbours, "seed": seed, "beam": beam}
        options = new("ww_index_options", run=self._run, target=target, **fields)
        made = as_measure(measure, parameters)
        check(lib.ww_index_create(made.c(base.longest), base._c, options, self._handle))

    def _limits(self, progress):
        """Of the call that follows."""
        self._run = run(progress, self._run.max_bytes)
        check(lib.ww_index_set_run(self._c, self._run))

    def _series(self, name, series):
        """A dataset like the base; None stays None."""
        if series is None:
            return None
        made = {"precision": word_of("ww_precision", lib.ww_index_precision(self._c)), "context": self.context}
        return datasets(series, None, names=(name, "base"), **made)[0]

    @property
    def dtype(self) -> np.dtype:
        """Of the series and distances: float32 or float64."""
        return DTYPES[word_of("ww_precision", lib.ww_index_precision(self._c))]

    @property
    def measure(self) -> str:
        """The measure's name."""
        return text(lib.ww_measure_info_by_id(lib.ww_index_measure(self._c).id).name)

    def __len__(self) -> int:
        """Series that were ever added."""
        return lib.ww_dataset_count(lib.ww_index_base(self._c))

    @alone
    def search(self, queries: Any = None, k: Optional[int] = None, *, progress: Progress = None) -> Neighbours:
        """The nearest series of each query. As of kneighbors(), but some neighbours may be missing.

        Parameters
        ----------
        queries : what Dataset takes, optional
            None: the base itself, each series without itself.
        k : int, optional
            Neighbours, 1 to 4096; None: the k that the recall is of, or 1.
        progress
            What every job takes: ``help(wavewarp)`` has it.

        Returns
        -------
        Neighbours
            (distances, ids) of shape (queries, k).

        Raises
        ------
        ValueError
            Queries of other channels or in another context; k out of range.
        """
        if k is None:
            k = self._told().target_k or 1
        asking = self._series("queries", queries)
        ids, distances = neighbours(len(self) if asking is None else len(asking), k, self.dtype)
        self._limits(progress)
        to = output(ids, "int64_t"), pointer(distances)
        check(lib.ww_index_search(self._c, NULL if asking is None else asking._c, k, *to))
        return Neighbours(distances, ids)._under(self.measure)

    @alone
    def add(self, series: Any, *, progress: Progress = None) -> None:
        """Adds series, whose ids continue after the last. The recall in `info` is that of before: choose() measures it
        again.

        Parameters
        ----------
        series : what Dataset takes
            The new series.
        progress
            What every job takes: ``help(wavewarp)`` has it.

        Raises
        ------
        ValueError
            Series of other channels or in another context; NaN or infinity.
        MemoryError
            Host or device memory is too small.
        """
        added = self._series("series", series)
        if added is None:
            raise TypeError("series: None is no series")
        self._limits(progress)
        check(lib.ww_index_add(self._c, added._c))

    @alone
    def remove(self, ids: Any) -> None:
        """Removes series: no search finds them any more.

        Parameters
        ----------
        ids : int or array_like of int
            Their numbers.

        Raises
        ------
        ValueError
            An id that no series has. Then none is removed.
        """
        ids = np.atleast_1d(whole("ids", ids))
        check(lib.ww_index_remove(self._c, output(ids, "int64_t"), ids.size))

    @alone
    def choose(
        self,
        queries: Any = None,
        *,
        recall: float = 0.95,
        k: int = 10,
        sample: int = 0,
        seed: int = 1,
        progress: Progress = None,
    ) -> SimpleNamespace:
        """Chooses how much of the graph later searches look at: the least that reaches a recall.

        Parameters
        ----------
        queries : what Dataset takes, optional
            Series like those that will ask; None: series of the base, each without itself.
        recall : float
            Share of the k nearest that searches find, above 0 and below 1.
        k : int
            Neighbours of a query that the recall is of, 1 to 4096.
        sample : int
            How many of the queries the recall is measured with, drawn by `seed`; 0: 512.
        seed : int
            Draws them.
        progress
            What every job takes: ``help(wavewarp)`` has it.

        Returns
        -------
        types.SimpleNamespace
            `info`, with what was measured.

        Raises
        ------
        ValueError
            A recall that does not lie between 0 and 1; k out of range; no series is left.
        """
        asking = self._series("queries", queries)
        fields: Any = {"k": k, "recall": recall, "sample": sample, "seed": seed}
        self._limits(progress)
        asked = None if asking is None else asking._c
        check(lib.ww_index_choose(self._c, new("ww_index_target", asking=asked, **fields)))
        return self._told()

    @alone
    def set_beam(self, beam: int) -> None:
        """Says how many series later searches keep. No recall is promised then.

        Parameters
        ----------
        beam : int
            1 to 4096; 0: searches are exact.

        Raises
        ------
        ValueError
            A beam out of range.
        """
        if beam < 0:
            raise ValueError(f"beam is {beam}; 0 to 4096")
        check(lib.ww_index_set_beam(self._c, min(beam, 1 << 30)))

    def _told(self):
        record = new("ww_index_info")
        check(lib.ww_index_get_info(self._c, record))
        return info(record)

    @property
    @alone
    def info(self) -> SimpleNamespace:
        """A record: series, links, beam, entries, exact, recall, recall_low, recall_high, examined, seconds_build, ..."""
        return self._told()

    def __reduce__(self):
        return SeriesIndex.from_bytes, (self.to_bytes(),)

    def __repr__(self):
        told = self.info
        how = "exact searches" if told.exact else f"beam {told.beam}"
        if told.target_k and not told.exact:
            how += f", recall {told.recall:.3g} of {told.target_k} on a sample"
        return f"<wavewarp.SeriesIndex of {many(told.series, 'series', 'series')} under {self.measure}: {how}>"
