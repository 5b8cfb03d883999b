# SPDX-License-Identifier: Apache-2.0
"""Series that are read, written and generated, and files of distances."""

from __future__ import annotations

import io
import os
from typing import Any, Optional, Union

import numpy as np

from ._arrays import as_numbers
from ._core import by_name, check, ffi, lib, new, notice
from ._formats import Datasets, find, foreign, kind_of, split
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
    """Reads series: UCR .tsv and .txt, .ts, .arff, .csv, .npy, .npz, .f32, .f64, FASTA, also packed by gzip.

    With ``pip install 'wavewarp[files]'`` also Parquet, Arrow and Feather, whose columns are taken as those of a .csv; HDF5
    and MATLAB's .mat, whose arrays are taken as those of .npy; .wav, .flac and .ogg, one series whose channels are the
    sound's. An option that is None is as the content says. What was guessed is a warning (Notice) that names the option
    which settles it, and stands in ``SeriesSet.notices``.

    Parameters
    ----------
    path : str, path or file object
        The file. ``FILE.npz:NAME``, ``FILE.h5:NAME`` and ``FILE.mat:NAME`` name one of several arrays. Of a file object
        the ending of its `name` counts.
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
        Threads that parse large text; 0: as many as there are processors.

    Returns
    -------
    SeriesSet

    Raises
    ------
    FileError
        The file can't be opened, or is damaged: file, line and column. Of several arrays none is named.
    ValueError
        A file without series; a word that an option does not have.
    ModuleNotFoundError
        A library that reads the file is not installed.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ww.write(os.path.join(folder, "two.ts"), [[1.0, 2.0], [3.0, 4.0]], ["a", "b"])
    ...     ww.read(os.path.join(folder, "two.ts")).labels
    ['a', 'b']
    """
    source, name = _source(path)
    there = source is not None or os.path.isfile(split(name)[0])
    kind = kind_of(name, _begin(source, name)) if format == "auto" and there else None
    if kind is not None:
        told = foreign(kind, source if source is not None else split(name)[0], name, {"label_column": label_column})
        if isinstance(told, SeriesSet):
            told.fill_missing(missing) if missing != "keep" else None
            return told
        format, source = told[0], io.BytesIO(told[1])
        header = "yes" if header is None and format == "csv" else header
    fields = {"format": by_name("ww_format", format), "threads": threads}
    named = {"axes": axes, "rows": rows, "header": header, "missing": missing, "csv_label": csv_label}
    for word, value in named.items():
        if value is not None and value not in _READ_WORDS[word]:
            raise ValueError(f"{word} is {value!r}, none of {', '.join(_READ_WORDS[word])}")
        fields[word] = None if value is None else _READ_WORDS[word][value]
    texts = {"label_column": label_column, "time_column": time_column, "series_column": series_column}
    for word, value in {**texts, "columns": columns, "times": times}.items():
        fields[word] = None if value is None else ffi.new("char[]", os.fsencode(str(value)))
    options = new("ww_read_options", **fields)
    if source is None:
        made = SeriesSet._make(lib.ww_series_set_read, os.fsencode(name), options)
    else:
        user = ffi.new_handle(source)
        made = SeriesSet._make(lib.ww_series_set_read_from, lib.py_read_fn, user, os.fsencode(name), options)
    for words, option in made._notices():
        notice(f"{name}: {words}: {option}= says what it is")
    return made


def _source(path):
    """(The bytes of a file object, None of a path; the file's name)."""
    if not hasattr(path, "read"):
        return None, os.fsdecode(path)
    held = path.read()
    name = getattr(path, "name", None)
    return io.BytesIO(held.encode() if isinstance(held, str) else held), name if isinstance(name, str) else "the file"


def _begin(source, name):
    """The first bytes of a file."""
    if source is not None:
        return source.getbuffer()[:8].tobytes()
    with open(split(name)[0], "rb") as file:
        return file.read(8)


def load_dataset(name: str, folder: Union[str, os.PathLike], split: Optional[str] = None, **options: Any) -> Any:
    """Reads a problem of the UCR and UEA archives from the folder it was unpacked to.

    Parameters
    ----------
    name : str
        Of the problem: "GunPoint".
    folder : str or path
        Holds NAME_TRAIN and NAME_TEST, or a folder NAME that does. Endings, the first that is there: .ts, .arff, .tsv, .txt,
        .csv, also packed by gzip (.gz).
    split : "train" or "test", optional
        One of the two alone; None: both.
    **options
        As of read().

    Returns
    -------
    Datasets or SeriesSet
        (train, test), which are its fields too; with `split` one set. Their `labels` are the classes.

    Raises
    ------
    FileNotFoundError
        There is no such file: the text names the folders.
    FileError, ValueError
        What read() raises; a split that is neither.

    Examples
    --------
    >>> import os, tempfile
    >>> made = ww.generate("cbf", 6)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in ("TRAIN", "TEST"):
    ...         ww.write(os.path.join(folder, f"CBF_{part}.ts"), made)
    ...     train, test = ww.load_dataset("CBF", folder)
    >>> len(train), test.labels[:2]
    (6, ['cylinder', 'bell'])
    """
    if split not in (None, "train", "test"):
        raise ValueError(f"split is {split!r}, neither 'train' nor 'test'")
    parts = [read(find(name, folder, part), **options) for part in (("TRAIN", "TEST") if split is None else (split.upper(),))]
    return Datasets(*parts) if split is None else parts[0]


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

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ww.write(os.path.join(folder, "x.csv"), [[1.0, 2.0]])
    ...     ww.read(os.path.join(folder, "x.csv"))[0].tolist()
    [[1.0, 2.0]]
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
        Points of a series; 0: the usual length of the kind.
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
