# SPDX-License-Identifier: Apache-2.0
"""Series that are read, written and generated, and files of distances."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np

from ._arrays import as_numbers
from ._core import by_name, check, ffi, lib, new, notice
from ._series import SeriesSet, pointer, precision_of

_READ_WORDS = {
    "axes": {"auto": 0, "nct": 1, "ntc": 2},
    "rows": {"auto": 0, "series": 1, "points": 2},
    "header": {"auto": 0, "yes": 1, "no": 2},
    "missing": {"keep": 0, "interpolate": 1, "drop": 2},
    "csv_label": {"auto": 0, "first": 1, "last": 2, "none": 3},
}


def read(
    path,
    *,
    format: str = "auto",
    axes: Optional[str] = None,
    rows: Optional[str] = None,
    header: Optional[str] = None,
    missing: str = "keep",
    csv_label: Optional[str] = None,
    label_column: Union[None, int, str] = None,
    time_column: Union[None, int, str] = None,
    series_column: Union[None, int, str] = None,
    columns: Optional[str] = None,
    times: Any = None,
    threads: int = 0,
) -> SeriesSet:
    """Reads series: UCR .tsv and .txt, .ts, .arff, .csv, .npy, .npz, also packed by gzip.

    An option that is None is as the content says. What was guessed is a warning (Notice) that names the option which
    settles it, and stands in ``SeriesSet.notices``.

    Parameters
    ----------
    path : str or path
        The file.
    format : str
        "auto", or the format's name.
    axes : str, optional
        "nct" or "ntc", of a .npy array of three dimensions.
    rows : str, optional
        "series" or "points", of .csv, UCR text and arrays of two dimensions.
    header : str, optional
        "yes" or "no": whether the first line has names.
    missing : str
        "keep", "interpolate" or "drop": what becomes of NaN.
    csv_label, label_column : str or int, optional
        Where labels are: "first", "last" or "none"; or a column, by name or number from 1.
    time_column, series_column : str or int, optional
        Columns of a .csv whose rows are points.
    columns : str, optional
        Those with values, as "2,5-9".
    times : str or path, optional
        A file of time stamps.
    threads : int
        That parse large text; 0: as many as there are processors.

    Returns
    -------
    SeriesSet

    Raises
    ------
    FileError
        The file can't be opened, or is damaged: file, line and column.
    ValueError
        A file without series; a word that an option does not have.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ww.write(os.path.join(folder, "two.ts"), [[1.0, 2.0], [3.0, 4.0]], ["a", "b"])
    ...     ww.read(os.path.join(folder, "two.ts")).labels
    ['a', 'b']
    """
    fields = {"format": by_name("ww_format", format), "threads": threads}
    named = {"axes": axes, "rows": rows, "header": header, "missing": missing, "csv_label": csv_label}
    for name, value in named.items():
        if value is not None and value not in _READ_WORDS[name]:
            raise ValueError(f"{name} is {value!r}, none of {', '.join(_READ_WORDS[name])}")
        fields[name] = None if value is None else _READ_WORDS[name][value]
    texts = {"label_column": label_column, "time_column": time_column, "series_column": series_column}
    for name, value in {**texts, "columns": columns, "times": times}.items():
        fields[name] = None if value is None else ffi.new("char[]", os.fsencode(str(value)))
    made = SeriesSet._make(lib.ww_series_set_read, os.fsencode(path), new("ww_read_options", **fields))
    for words, option in made._notices():
        notice(f"{os.fsdecode(path)}: {words}: {option}= says what it is")
    return made


def write(
    path,
    series: Any,
    labels: Any = None,
    *,
    axes: Optional[str] = None,
    format: str = "auto",
    precision: Optional[str] = "double",
) -> None:
    """Writes series.

    Parameters
    ----------
    path : str or path
        The ending says the format: .tsv, .ts; .csv, .npy without labels.
    series, labels, axes
        What SeriesSet takes.
    format : str
        "auto", or the format's name.
    precision : str
        "float" or "double": the digits that are written, or the type of .npy.

    Raises
    ------
    ValueError, TypeError, FileError
        What SeriesSet() and SeriesSet.write() raise.
    """
    made = series if isinstance(series, SeriesSet) else SeriesSet(series, labels, axes=axes)
    made.write(path, format=format, precision=precision)


def generate(kind, count: int = 100, *, length=0, max_length=0, channels=1, seed: int = 1) -> SeriesSet:
    """Generated series with labels. The same seed gives the same series everywhere.

    Parameters
    ----------
    kind : str
        "cbf", "two-patterns", "synthetic-control", "random-walk" or "sine".
    count : int
        How many series.
    length : int
        Points; 0: as usual for the kind.
    max_length : int
        Lengths are between `length` and this; 0: all are equal.
    channels : int
        Of each series.
    seed : int
        From 0.

    Returns
    -------
    SeriesSet

    Raises
    ------
    ValueError
        There is no such generator; no series; max_length below length.

    Examples
    --------
    >>> made = ww.generate("cbf", 3, length=40)
    >>> made.labels, made[0].shape
    (['cylinder', 'bell', 'funnel'], (1, 40))
    """
    options = new(
        "ww_generate_options", count=count, length=length, max_length=max_length, channels=channels, seed=seed
    )
    return SeriesSet._make(lib.ww_series_set_generate, by_name("ww_generator", kind), options)


def write_array(path, values: Any) -> None:
    """Writes distances as the program does.

    Parameters
    ----------
    path : str or path
        The ending says the format: .npy, .csv, else raw.
    values : array_like
        A matrix, or a condensed matrix (one axis), which is written as .npy.

    Raises
    ------
    ValueError
        More than two axes.
    TypeError
        No numbers.
    FileError
        The file can't be written.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ww.write_array(os.path.join(folder, "d.npy"), [[0.0, 1.0], [1.0, 0.0]])
    ...     np.load(os.path.join(folder, "d.npy")).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    array = np.ascontiguousarray(as_numbers(values))
    if array.ndim not in (1, 2):
        raise ValueError(f"shape {array.shape} has neither one axis nor two")
    rows, columns = array.shape if array.ndim == 2 else (len(array), 0)
    check(lib.ww_array_write(os.fsencode(path), pointer(array), precision_of(array.dtype), rows, columns))
