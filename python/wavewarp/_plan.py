# SPDX-License-Identifier: Apache-2.0
"""Prepared jobs: matrices of distances, and lists of pairs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import NULL, Progress, alone, check, ffi, handle, info, lib, new, number, plan_options
from ._dataset import datasets
from ._measure import MeasureLike, Options
from ._measure import measure as as_measure
from ._buffer import Buffer
from ._series import result, sizes, to_output

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Plan:
    """A prepared job on datasets: slow parts are done once, run() computes. cdist() and pairs() make one and run it.

    Parameters
    ----------
    measure : Measure or str
        measures() lists those there are.
    rows, columns : Dataset, or what one takes
        `columns` None: `rows` with itself.
    pairs : None, True, or two sequences of int
        None: all rows with all columns. True: the i-th row with the i-th column. Or two lists of indices of both.
    paths : bool
        For the library's own use.
    engine : str
        "auto", or one of engines().
    progress, max_bytes
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure.

    Raises
    ------
    ValueError
        Datasets of different contexts, precisions or channels; indices out of range, lists of different lengths, no pairs;
        an engine that there is not, or that does not take the measure; a band that leaves no path; series too short for the
        measure.

    Examples
    --------
    >>> plan = ww.Plan("dtw", ww.Dataset([[0.0, 1, 2], [0.0, 2, 2]]))
    >>> plan.prepare()
    >>> plan.run().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    >>> plan.rectangle(0, 1, 1, 1).tolist(), plan.cells(0, 1, 1, 1)
    ([[1.0]], 9)
    """

    def __init__(
        self,
        measure: MeasureLike,
        rows,
        columns=None,
        *,
        pairs: Any = None,
        paths=False,
        engine: str = "auto",
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters: Unpack[Options],
    ) -> None:
        self.measure = as_measure(measure, parameters)
        rows, columns = datasets(rows, columns, names=("rows", "columns"))
        self.rows, self.columns = rows, columns
        self._handle = handle("ww_plan")
        longest = max(rows.longest, columns.longest if columns is not None else 0)
        options = plan_options(engine, progress=progress, max_bytes=max_bytes)
        self._options = options  # the progress function lives as long as the plan
        c = self.measure.c(longest)
        if pairs is None:
            check(lib.ww_plan_create_matrix(c, rows._c, columns._c if columns else NULL, options, self._handle))
            self.shape: tuple = (len(rows), len(columns if columns is not None else rows))
        else:
            columns = columns if columns is not None else rows
            first, second, count = pair_indices(pairs, rows, columns)
            create = lib.ww_plan_create_paths if paths else lib.ww_plan_create_pairs
            check(create(c, rows._c, columns._c, first, second, count, options, self._handle))
            self.shape = (count,)

    @property
    def _c(self):
        return self._handle[0]

    @alone
    def prepare(self) -> None:
        """Makes what the first run would make: programs, device memory, uploads.

        Raises
        ------
        MemoryError
            Host or device memory is too small.
        DeviceError
            A kernel does not compile.
        """
        check(lib.ww_plan_prepare(self._c))

    @alone
    def run(self, out: Any = None) -> Any:
        """Computes the distances, in the datasets' type.

        Parameters
        ----------
        out : numpy.ndarray or Buffer, optional
            Takes them. An array may have a stride between rows. What is in a Buffer stays on the device.

        Returns
        -------
        numpy.ndarray or Buffer
            Of shape (rows, columns), or one a pair.

        Raises
        ------
        ValueError
            `out` is of another shape or type, not writable, or its rows are not contiguous.
        TypeError
            `out` is neither an array nor a Buffer.
        MemoryError
            Host or device memory is too small. What progress raises is raised too.
        """
        stride = 0
        planar = isinstance(out, np.ndarray) and out.ndim == len(self.shape) == 2
        if not planar or out.strides[0] == out.itemsize * out.shape[1]:
            values = result(out, self.shape, self.rows.dtype)
        else:
            values = out
            fits = out.shape == self.shape and out.dtype == self.rows.dtype and out.flags.writeable
            if not fits or out.strides[1] != out.itemsize or out.strides[0] < out.itemsize * out.shape[1]:
                raise ValueError(
                    f"out has to be writable, of shape {self.shape} and type {self.rows.dtype}, rows contiguous"
                )
            stride = out.strides[0] // out.itemsize
        check(lib.ww_plan_run(self._c, to_output(values, row_stride=stride)))
        check(lib.ww_plan_finish(self._c))
        return values

    @alone
    def rectangle(self, row, rows, column, columns, out: Any = None) -> Any:
        """Computes a part of the matrix.

        Parameters
        ----------
        row, rows, column, columns : int
            Its first row and column, and how many there are.
        out : numpy.ndarray or Buffer, optional
            As of run().

        Returns
        -------
        numpy.ndarray or Buffer
            Of shape (rows, columns).

        Raises
        ------
        ValueError
            It is not inside the matrix; the plan is one for pairs; `out` as of run().
        """
        values = result(out, (rows, columns), self.rows.dtype)
        row, column = number("row", row), number("column", column)
        check(lib.ww_plan_run_rectangle(self._c, row, rows, column, columns, to_output(values)))
        check(lib.ww_plan_finish(self._c))
        return values

    @alone
    def cells(self, row=0, rows=None, column=0, columns=None) -> int:
        """Cells inside the band of a part of the matrix, for a schedule.

        Parameters
        ----------
        row, rows, column, columns : int
            As of rectangle(); rows, columns None: to the last.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            It is not inside the matrix; the plan is one for pairs.
        """
        if len(self.shape) != 2:
            raise ValueError("cells are of a plan for a matrix, and this is one for pairs")
        cells = ffi.new("uint64_t *")
        row, column = number("row", row), number("column", column)
        rows, columns = rows or self.shape[0] - row, columns or self.shape[1] - column
        rows, columns = number("rows", rows), number("columns", columns)
        check(lib.ww_plan_cells(self._c, row, rows, column, columns, cells))
        return cells[0]

    @property
    @alone
    def info(self) -> SimpleNamespace:
        """What it chose and what its last run did: engine, pairs, cells, launches, seconds_device, ..."""
        record = new("ww_plan_info")
        check(lib.ww_plan_get_info(self._c, record))
        return info(record)


def pair_indices(pairs, rows, columns):
    if pairs is True:
        if len(rows) != len(columns):
            raise ValueError(f"{len(rows)} rows and {len(columns)} columns can't be paired one by one")
        return NULL, NULL, len(rows)
    if pairs is None or len(pairs) != 2:
        raise ValueError("pairs has to be two lists of indices, or True: the i-th row with the i-th column")
    first, second = sizes(pairs[0]), sizes(pairs[1])
    if len(first) != len(second):
        raise ValueError(f"pairs has {len(first)} rows and {len(second)} columns: it needs as many of both")
    return first, second, len(first)
