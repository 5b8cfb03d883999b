# SPDX-License-Identifier: Apache-2.0
"""Series: arrays as views without copies, and sets in host memory with files."""

from __future__ import annotations

import numbers
import operator
import os
from types import SimpleNamespace
from typing import Any, Iterable, Optional

import numpy as np

from ._arrays import as_numbers, doubles, label_list, label_text
from ._buffer import Buffer
from ._core import NULL, by_name, check, ffi, handle, info, keep, lib, new, notice, number, text
from ._frames import frame_one, library_of
from ._axes import check_axes, guessed, one_of, plain_shapes, arranged

DTYPES: Any = {"float": np.dtype(np.float32), "double": np.dtype(np.float64)}


def precision_of(dtype):
    return lib.WW_FLOAT if dtype == np.float32 else lib.WW_DOUBLE


def pointer(array):
    """The address of an array's first element, which is only read, or NULL for None."""
    return NULL if array is None else ffi.cast("void *", array.__array_interface__["data"][0])


def output(array, kind):
    """A contiguous array that the library reads or fills, as an array of `kind`, which keeps it."""
    return NULL if array is None else ffi.from_buffer(kind + "[]", array)


def told_float(precision, view):
    """Warns where values in double, of series or points, are to be computed in float, and float does not hold them."""
    if precision != "float" or view.precision != lib.WW_DOUBLE:
        return
    points = ffi.typeof(view) is ffi.typeof("ww_point_view *")
    fit = lib.ww_point_view_float_fit(view) if points else lib.ww_series_view_float_fit(view)
    if fit != lib.WW_FLOAT_FITS:
        does = "does not" if fit == lib.WW_FLOAT_LOSES else "does"
        notice(f"{text(lib.ww_float_fit_text(fit))}: precision='double' {does}")


def result(out: Any, shape, dtype):
    """An array for results: `out`, also a Buffer, where it is given and fits, else a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if isinstance(out, Buffer):
        if out.shape != tuple(shape) or out.dtype != dtype:
            raise ValueError(f"out has to be a buffer of shape {tuple(shape)} and type {dtype}")
        return out
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is an array or a Buffer, not {type(out).__name__}")
    if out.shape != tuple(shape) or out.dtype != dtype or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f"out has to be a writable C-contiguous array of shape {tuple(shape)} and type {dtype}")
    return out


def neighbours(rows, k, dtype):
    """Room for the k neighbours of each of so many rows: indices, and distances."""
    if k < 0:
        raise ValueError(f"k is {k}; at least one neighbour is needed")
    return np.empty((rows, k), np.int64), np.empty((rows, k), dtype)


def to_output(values, **fields):
    """A ww_output into an array or a Buffer."""
    if isinstance(values, Buffer):
        return new("ww_output", device=values._c, **fields)
    return new("ww_output", host=pointer(values), bytes=values.nbytes if not fields.get("row_stride") else 0, **fields)


def sizes(values: Any):
    """A list of numbers as size_t[], NULL for None."""
    if values is None:
        return NULL
    array = np.asarray(values)
    if (
        array.size
        and array.dtype.kind not in "iu"
        and not (array.dtype.kind == "f" and (array == np.floor(array)).all())
    ):
        raise TypeError(f"indices and lengths are whole numbers, not {array.dtype}")
    array = np.ascontiguousarray(array, np.int64)
    if array.size and array.min() < 0:
        raise ValueError("an index or a length is below 0")
    held = np.ascontiguousarray(array, np.uintp)
    return ffi.from_buffer("size_t[]", held)


def as_set(values: Any):
    """(A set of series, whether `values` were one series alone, of one axis, or one text.)"""
    if isinstance(values, (str, bytes)):
        return [values], True
    if isinstance(values, (list, tuple)):
        alone = len(values) > 0 and all(isinstance(value, numbers.Real) for value in values)
    else:
        kind = getattr(getattr(values, "dtype", None), "kind", "f")  # polars' types have none
        alone = len(getattr(values, "shape", ())) == 1 and kind != "O" and not str(values.dtype).startswith("List")
    return (one_array(values)[None], True) if alone else (values, False)


def is_texts(values: Any):
    return isinstance(values, (list, tuple)) and len(values) > 0 and all(isinstance(v, (str, bytes)) for v in values)


class View:
    """A ww_series_view of the caller's arrays, which it keeps: `c`, and what the view says as Python has it."""

    def __init__(self, values: Any, axes: Optional[str] = None) -> None:
        if is_texts(values):
            values = SeriesSet.of_texts(values)
        if isinstance(values, SeriesSet):
            check_axes(axes)
            self._of_set(values)
        elif (plain := plain_shapes(values, axes)) is not None:
            channels, lengths, by_time = plain
            self._of_buffers(values, channels, lengths, by_time, values[0].dtype)
        else:
            made = arranged(values, axes)
            if isinstance(made, list):
                self._of_list(made)
            else:
                self._of_array(made)
        keep(self.c, self._kept)

    def _of_set(self, values):
        self.c = new("ww_series_view")
        check(lib.ww_series_set_view(values._c, self.c))
        self._kept = values
        self.dtype, self.count, self.channels = DTYPES["double"], len(values), values.channels
        self.lengths = values.lengths

    def _of_array(self, array):
        if any(stride % array.itemsize for stride in array.strides):
            array = np.ascontiguousarray(array)
        self._kept = array
        self.dtype = array.dtype
        self.count, self.channels, length = array.shape
        self.lengths = np.full(self.count, length)
        series, channel, time = (stride // array.itemsize for stride in array.strides)
        layout = {"strided": 1, "series_stride": series, "channel_stride": channel, "time_stride": time}
        if array.flags.c_contiguous:
            layout = {}
        elif self.count and array.swapaxes(1, 2).flags.c_contiguous:
            layout = {"time_major": 1}
        self.c = new(
            "ww_series_view",
            values=pointer(array),
            precision=precision_of(array.dtype),
            count=self.count,
            channels=self.channels,
            length=length,
            **layout,
        )

    def _of_list(self, arrays):
        channels = {array.shape[0] for array in arrays}
        if len(channels) != 1:
            raise ValueError(f"series have {' and '.join(map(str, sorted(channels)))} channels")
        dtype = np.dtype(np.float32 if all(a.dtype == np.float32 for a in arrays) else np.float64)
        by_time = any(len(a) > 1 for a in arrays) and all(len(a) == 1 or a.T.flags.c_contiguous for a in arrays)
        lengths = np.array([array.shape[1] for array in arrays])
        # One in the order of time is read as its transpose.
        arrays = [np.asarray(a.T if by_time else a, dtype, order="C") for a in arrays]
        self._of_buffers(arrays, channels.pop(), lengths, by_time, dtype)

    def _of_buffers(self, arrays, channels, lengths, by_time, dtype):
        self._kept = [ffi.from_buffer(array) for array in arrays]  # these keep the arrays
        self.count, self.channels, self.lengths, self.dtype = len(arrays), channels, lengths, dtype
        self.c = new(
            "ww_series_view",
            series=ffi.new("void *[]", self._kept),
            precision=precision_of(dtype),
            count=self.count,
            channels=channels,
            lengths=sizes(lengths),
            time_major=int(by_time),
        )

    @property
    def longest(self):
        return int(self.lengths.max()) if self.count else 0


def unpadded(array: Any):
    """Series (series, channel, time) without the NaN that make them as long as others; None where none ends so."""
    if array.dtype.kind != "f" or not array.size or not np.isnan(array[:, 0, -1]).any():
        return None
    missing = np.isnan(array).all(axis=1)
    if not missing[:, -1].any() or missing.all(axis=1).any():
        return None
    lengths = missing.shape[1] - np.argmin(missing[:, ::-1], axis=1)
    notice(
        f"{int((lengths < missing.shape[1]).sum())} series end in NaN, which is taken as padding: a list of series has each "
        "with its own length"
    )
    return [x[:, :n] for x, n in zip(array, lengths)]


def without_padding(made: View) -> View:
    """The same view, of an array with padding that of the series without it."""
    series = unpadded(made._kept) if isinstance(made._kept, np.ndarray) else None
    return made if series is None else View(series, "ct")


def view(values: Any, axes: Optional[str] = None):
    return values if isinstance(values, View) else View(values, axes)


def one_array(values, axes=None):
    """One series, of shape (time,) or (channel, time), or a text, as an array (channel, time)."""
    check_axes(axes)
    if isinstance(values, (str, bytes)):
        return SeriesSet.of_texts([values])[0]
    if library_of(values):
        array = frame_one(values, axes, as_numbers)
        return array[None] if array.ndim == 1 else array
    array = as_numbers(values)
    if array.ndim == 3 and len(array) == 1:
        array = array[0]
    if array.ndim not in (1, 2):
        raise ValueError(f"a series has shape (time,) or (channel, time), not {array.shape}")
    if axes is None and array.ndim == 2:
        axes = "tc" if guessed(array.shape, "a series") else "ct"
    return one_of(array, axes)


class SeriesSet:
    """Series in host memory, in double, with labels and time stamps: what files are read into.

    read() and generate() make sets too. NaN is a missing value, which fill_missing() fills; jobs refuse it. len() is the
    number of series, ``x[i]`` a copy of one, of shape (channel, time), ``x[a:b]`` a list of such.

    Parameters
    ----------
    series
        Arrays, tables or lists of series, which are copied; None: an empty set.
    labels : sequence, optional
        One a series.
    axes : str, optional
        The order of the axes, as "nct".
    channels : int, optional
        Of an empty set.

    Raises
    ------
    ValueError
        A shape that is no series; other channels than the first; another number of labels.
    TypeError
        No numbers.
    IndexError
        Of an index: there is no such series.

    Examples
    --------
    >>> made = ww.SeriesSet([[1.0, 2.0], [3.0]], ["a", "b"])
    >>> len(made), made[0].tolist(), made.labels
    (2, [[1.0, 2.0]], ['a', 'b'])
    >>> made.add([4.0, float("nan"), 6.0], "a", times=[0, 1, 2])
    >>> made.fill_missing()
    >>> made[2].tolist(), made.classes
    ([[4.0, 5.0, 6.0]], ['a', 'b'])
    >>> ww.SeriesSet.of_texts(["cat", "car"]).to_numpy().shape
    (2, 1, 3)
    >>> stamped = ww.SeriesSet([[1.0, 2.0]])
    >>> stamped.set_times(0, [10, 20])
    >>> stamped.shift_times(-10)
    >>> stamped.times(0).tolist()
    [0.0, 10.0]
    >>> stamped.znormalise()
    >>> shapes = ww.SeriesSet([[1.0, 2.0, 4.0]])
    >>> shapes.embed(1)
    >>> shapes[0].tolist()
    [[1.0, 1.0, 2.0], [1.0, 2.0, 4.0], [2.0, 4.0, 4.0]]
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     stamped.write(os.path.join(folder, "one.ts"))
    ...     ww.read(os.path.join(folder, "one.ts"))[0].tolist()
    [[-1.0, 1.0]]
    """

    def __init__(self, series: Any = None, labels: Any = None, *, axes: Optional[str] = None, channels=None) -> None:
        self._handle = handle("ww_series_set")
        arrays = []
        if series is not None and len(series):
            arrays = list(arranged(series, axes))
        if labels is not None and len(labels) != len(arrays):
            raise ValueError(f"{len(labels)} labels for {len(arrays)} series")
        if channels is None:
            channels = arrays[0].shape[0] if arrays else 1
        check(lib.ww_series_set_create(channels, self._handle))
        for array, label in zip(arrays, [None] * len(arrays) if labels is None else label_list(labels)):
            self.add(array, label, axes="nct")

    @classmethod
    def _make(cls, function, *arguments):
        made = cls.__new__(cls)
        made._handle = handle("ww_series_set")
        check(function(*arguments, made._handle))
        return made

    @classmethod
    def of_texts(cls, texts: Iterable[Any], labels: Any = None) -> SeriesSet:
        """Sequences of symbols, for Levenshtein and LCS: a series a text, a point each Unicode code point.

        Parameters
        ----------
        texts : iterable of str or bytes
            The texts.
        labels : sequence, optional
            One a text.

        Returns
        -------
        SeriesSet

        Raises
        ------
        FileError
            A text that is not UTF-8.
        ValueError
            An empty text; another number of labels.
        """
        made, texts = cls(channels=1), list(texts)
        named = [None] * len(texts) if labels is None else label_list(labels)
        if len(named) != len(texts):
            raise ValueError(f"{len(named)} labels for {len(texts)} texts")
        for value, label in zip(texts, named):
            data = value.encode() if isinstance(value, str) else bytes(value)
            name = NULL if label is None else ffi.new("char[]", label_text(label).encode())
            check(lib.ww_series_set_add_text(made._c, data, len(data), name))
        return made

    @property
    def _c(self):
        return self._handle[0]

    def add(self, series: Any, label=None, *, times=None, axes: Optional[str] = None) -> None:
        """Appends a copy of a series.

        Parameters
        ----------
        series : array_like of shape (time,) or (channel, time)
            The series.
        label : optional
            Its label.
        times : array_like, optional
            Its time stamps, one a point.
        axes : str, optional
            The order of the axes.

        Raises
        ------
        ValueError
            Other channels; no points; time stamps of another number, or that decrease.
        TypeError
            No numbers.
        """
        array = np.ascontiguousarray(one_array(series, axes), np.float64)
        if array.shape[0] != self.channels:
            raise ValueError(f"the series has {array.shape[0]} channels, those of the set {self.channels}")
        name = NULL if label is None else ffi.new("char[]", label_text(label).encode())
        check(lib.ww_series_set_add(self._c, array.shape[1], output(array, "double"), name))
        if times is not None:
            self.set_times(len(self) - 1, times)

    def set_times(self, i, times) -> None:
        """Gives a series its time stamps.

        Parameters
        ----------
        i : int
            The series.
        times : array_like
            One a point; they do not decrease.

        Raises
        ------
        ValueError
            Another number of them, or some that decrease.
        IndexError
            There is no such series.
        """
        i = self._at(i)
        stamps = doubles("times", times)
        if stamps.shape != (lib.ww_series_set_length(self._c, i),):
            raise ValueError(f"series {i} has {lib.ww_series_set_length(self._c, i)} points, not {stamps.shape}")
        check(lib.ww_series_set_set_times(self._c, i, output(stamps, "double")))

    def times(self, i) -> Optional[np.ndarray]:
        """A copy of the time stamps of a series.

        Parameters
        ----------
        i : int
            The series.

        Returns
        -------
        numpy.ndarray or None
            One a point; None where the set has none.

        Raises
        ------
        IndexError
            There is no such series.
        """
        i = self._at(i)
        stamps = lib.ww_series_set_times(self._c, i)
        return None if stamps == NULL else np.array(ffi.unpack(stamps, lib.ww_series_set_length(self._c, i)))

    def shift_times(self, shift) -> None:
        """Adds a number to every time stamp.

        Parameters
        ----------
        shift : float
            The number.

        Raises
        ------
        ValueError
            It is not finite.
        """
        check(lib.ww_series_set_shift_times(self._c, shift))

    def __len__(self) -> int:
        return lib.ww_series_set_count(self._c)

    def _at(self, i):
        i, count = operator.index(i), len(self)
        if not -count <= i < count:
            raise IndexError(f"there is no series {i}; there are {count}")
        return i % count

    channels = property(lambda self: lib.ww_series_set_channels(self._c), doc="Channels, without time stamps.")
    missing = property(lambda self: lib.ww_series_set_missing(self._c), doc="Number of missing values (NaN).")
    min_length = property(lambda self: lib.ww_series_set_min_length(self._c), doc="Points of the shortest series.")
    max_length = property(lambda self: lib.ww_series_set_max_length(self._c), doc="Points of the longest series.")

    @property
    def lengths(self) -> np.ndarray:
        """Points of each series."""
        return np.array([lib.ww_series_set_length(self._c, i) for i in range(len(self))], np.int64)

    def __getitem__(self, i) -> Any:
        """A copy of series i, of shape (channel, time); of a slice a list of them."""
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        i = self._at(i)
        length = lib.ww_series_set_length(self._c, i)
        values = lib.ww_series_set_values(self._c, i)
        return np.frombuffer(ffi.buffer(values, 8 * self.channels * length)).reshape(self.channels, length).copy()

    @property
    def labels(self) -> list:
        """A list of the labels' texts, None where a series has none."""
        return [text(lib.ww_series_set_label(self._c, i)) for i in range(len(self))]

    @property
    def classes(self) -> list:
        """The different labels, in order of first appearance."""
        return [text(lib.ww_series_set_class_name(self._c, k)) for k in range(lib.ww_series_set_class_count(self._c))]

    @property
    def codes(self) -> np.ndarray:
        """The class number of each series, -1 where it has no label."""
        return np.array([lib.ww_series_set_class(self._c, i) for i in range(len(self))], np.int64)

    def to_numpy(self) -> np.ndarray:
        """The series as one array of float64.

        Returns
        -------
        numpy.ndarray
            Of shape (series, channel, time).

        Raises
        ------
        ValueError
            Lengths differ; there are no series.
        """
        if self.min_length != self.max_length:
            raise ValueError(f"series of {self.min_length} to {self.max_length} points make no array; list(x) has each")
        return np.stack([self[i] for i in range(len(self))])

    def znormalise(self) -> None:
        """Gives every channel of every series the mean 0 and the population deviation 1, in place. What is constant
        becomes 0.

        Raises
        ------
        ValueError
            NaN or infinity: the text says where.
        """
        check(lib.ww_series_set_znormalise(self._c))

    def embed(self, reach: int) -> None:
        """Gives each point its neighbours as channels, in place: DTW of such series is shape DTW (raw descriptors).

        Parameters
        ----------
        reach : int
            Neighbours on each side, 0 or more; the ends of a series repeat beyond it. A channel becomes 2 reach + 1.

        Raises
        ------
        ValueError
            A negative reach, or one that makes too many channels.
        MemoryError
            The set does not fit, 2 reach + 1 times as large.
        """
        check(lib.ww_series_set_embed(self._c, number("reach", reach)))

    def fill_missing(self, how: str = "interpolate") -> None:
        """Fills in what is missing (NaN), or leaves its points out, in place.

        Parameters
        ----------
        how : str
            "interpolate": on the line between the nearest values. "drop": the points are left out. "keep": nothing.

        Raises
        ------
        ValueError
            A series has no value to fill from, or no point is left; another word.
        """
        values = {"keep": 0, "interpolate": 1, "drop": 2}
        if how not in values:
            raise ValueError(f"{how!r} is none of {', '.join(values)}")
        check(lib.ww_series_set_fill_missing(self._c, values[how]))

    @property
    def notices(self) -> list:
        """What looked odd in the file, and how it was taken: a list of texts."""
        return [words for words, _ in self._notices()]

    def _notices(self):
        """(text, the option of read() that settles it) of each notice."""
        kind = ffi.new("ww_notice *")
        return [
            (text(lib.ww_series_set_notice(self._c, i, kind)), _SETTLED_BY[kind[0]])
            for i in range(lib.ww_series_set_notice_count(self._c))
        ]

    @property
    def read_info(self) -> SimpleNamespace:
        """How the file was taken: a record of format, axes, rows and columns."""
        record = new("ww_read_info")
        check(lib.ww_series_set_get_read_info(self._c, record))
        return info(record)

    def write(self, path, *, format: str = "auto", precision: Optional[str] = "double") -> None:
        """Writes the set to a file.

        Parameters
        ----------
        path : str or path
            The ending says the format: .tsv, .ts; .csv, .npy without labels; .f32, .f64 of one series.
        format : str
            "auto", or the format's name.
        precision : str
            "float" or "double": the digits that are written, or the type of .npy.

        Raises
        ------
        ValueError
            The name says no format; the format can't hold such a set: labels, channels, lengths.
        FileError
            The file can't be written.
        """
        kind = by_name("ww_format", format)
        check(lib.ww_series_set_write(self._c, os.fsencode(path), kind, by_name("ww_precision", precision)))

    def __reduce__(self):
        return _unpickled_set, (
            [self[i] for i in range(len(self))],
            self.labels,
            [self.times(i) for i in range(len(self))],
            self.channels,
        )

    def __repr__(self):
        return f"<wavewarp.SeriesSet of {len(self)} series, {self.channels} channel{'s' * (self.channels != 1)}>"


def _unpickled_set(series, labels, times, channels):
    made = SeriesSet(channels=channels)
    for values, label, stamps in zip(series, labels, times):
        made.add(values, label, times=stamps, axes="nct")
    return made


_SETTLED_BY = {
    lib.WW_NOTICE_AXES: "axes",
    lib.WW_NOTICE_ROWS: "rows",
    lib.WW_NOTICE_HEADER: "header",
    lib.WW_NOTICE_LABELS: "csv_label",
    lib.WW_NOTICE_COLUMNS: "columns",
    lib.WW_NOTICE_DISTANCES: "rows",
}
