# SPDX-License-Identifier: Apache-2.0
"""Datasets: series on the device."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import as_numbers, label_list, label_names, of_argument
from ._buffer import Buffer
from ._context import Context, default_context
from ._core import by_name, check, ffi, handle, lib, new, text, word_of
from ._frames import by_series, time_keys
from ._series import DTYPES, SeriesSet, View, is_texts, precision_of, told_float, view, without_padding


class Dataset:
    """Series on the device, uploaded once; what every job takes.

    A dataset pickles: its series are read back, and uploaded again by the default context of the process that opens it.

    Parameters
    ----------
    series : array_like, list, table, SeriesSet or texts
        An array of shape (series, time) or (series, channel, time) with any strides (of three axes NaN at the ends of
        shorter series are padding, with a Notice); anything with the buffer or DLPack
        protocol, or a PyTorch CPU tensor; a list of series of unequal length, each (time,) or (channel, time); a table of
        pandas, polars or xarray as docs/python.md says (from_long() takes the long form); a SeriesSet; texts.
    y : sequence, optional
        Labels, one a series (None or NaN: none), for jobs that learn. A SeriesSet has its own.
    axes : str, optional
        "nct", or "ntc" for (series, time, channel) without a copy; of two axes "nt", "tn", "tc" or "ct". None: as files of
        arrays are read, with a Notice where that is not certain.
    precision : "float" or "double", optional
        None: float for float32, double for others where the device has double.
    times : bool
        The last channel holds time stamps, for TWED.
    allow_nan : bool
        NaN is accepted.
    updates : bool
        update() will be called.
    max_bytes : int
        Device memory at most; larger sets are uploaded block by block.
    context : Context, optional
        The device; None: default_context().

    Raises
    ------
    ValueError
        A shape that is no series, with a hint about axes; no series, or one without points; series of different channels;
        NaN or infinity, and values too large for float: `series`, `position` and `channel` of the error say where; another
        number of labels, or labels that are one text; time stamps that decrease; precision, axes.
    TypeError
        No numbers.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> data = ww.Dataset([[0, 1, 2], [0, 1, 3, 4]], ["a", "b"])
    >>> len(data), data.lengths.tolist(), data.classes.tolist()
    (2, [3, 4], ['a', 'b'])
    """

    def __init__(
        self,
        series: Any,
        y: Any = None,
        *,
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        times=False,
        allow_nan: bool = False,
        max_bytes: int = 0,
        updates: bool = False,
        context: Optional[Context] = None,
    ) -> None:
        self.context = context or default_context()
        if is_texts(series):
            series, y = SeriesSet.of_texts(series, y), None
        made = None if isinstance(series, SeriesSet) else view(series, axes)
        if made is not None and not allow_nan and getattr(series, "ndim", 0) == 3:  # as tslearn's are
            made = without_padding(made)
        self._view = made
        self._axes = axes
        dtype = DTYPES["double"] if self._view is None else self._view.dtype
        if precision is None:
            precision = "float" if dtype == np.float32 or not self.context.has_double else "double"
        told_float(precision, view(series).c if self._view is None else self._view.c)
        self._options = {"times": times, "allow_nan": allow_nan, "max_bytes": max_bytes, "updates": updates}
        options = {
            "precision": by_name("ww_precision", precision),
            "allow_not_finite": bool(allow_nan),
            "times": bool(times),
            "max_bytes": max_bytes,
            "updates": bool(updates),
        }
        self._of_set, self._sizes = self._view is None, None
        self._handle = handle("ww_dataset")
        if self._view is None:
            if y is not None:
                raise ValueError("x is a SeriesSet, which has labels of its own: leave the labels out")
            check(
                lib.ww_dataset_create_from_set(
                    self.context._c, series._c, new("ww_dataset_options", **options), self._handle
                )
            )
            self.classes = np.array(
                [text(lib.ww_dataset_class_name(self._c, k)) for k in range(lib.ww_dataset_class_count(self._c))]
            )
        else:
            self.classes, names = label_names(y, self._view.count)
            check(
                lib.ww_dataset_create(
                    self.context._c, self._view.c, new("ww_dataset_options", labels=names, **options), self._handle
                )
            )
            self._sizes = np.asarray(self._view.lengths, np.int64)
            self._view = None  # what was uploaded is not held

    @classmethod
    def from_buffer(cls, buffer: Buffer) -> Dataset:
        """Series of equal length in device memory. Nothing is copied or checked: values have to be finite. What is
        written to the buffer later holds for later runs.

        Parameters
        ----------
        buffer : Buffer
            Of shape (series, time) or (series, channel, time).

        Returns
        -------
        Dataset

        Raises
        ------
        TypeError
            No Buffer.
        ValueError
            A shape of one axis, or of more than three.

        Examples
        --------
        >>> data = ww.Dataset.from_buffer(ww.Buffer.of(np.array([[0.0, 1, 2], [0.0, 2, 2]])))
        >>> ww.cdist(data).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
        """
        if not isinstance(buffer, Buffer):
            raise TypeError(f"a Buffer is needed, not {type(buffer).__name__}")
        if len(buffer.shape) not in (2, 3):
            raise ValueError(f"shape {buffer.shape} is neither (series, time) nor (series, channel, time)")
        made = cls.__new__(cls)
        made.context, made._view, made._axes, made._of_set = buffer.context, None, None, False
        made._sizes = np.full(buffer.shape[0], buffer.shape[-1], np.int64)
        made._options = {"updates": True}
        made.classes, made._handle = np.array([]), handle("ww_dataset")
        channels = buffer.shape[1] if len(buffer.shape) == 3 else 1
        check(
            lib.ww_dataset_create_from_buffer(
                buffer.context._c,
                buffer._c,
                buffer.shape[0],
                channels,
                buffer.shape[-1],
                precision_of(buffer.dtype),
                made._handle,
            )
        )
        return made

    @classmethod
    def _of_lengths(cls, buffer: Buffer, lengths, channels: int) -> Dataset:
        """The same of series of these lengths, one behind the other, each channel by channel."""
        made = cls.__new__(cls)
        made.context, made._view, made._axes, made._of_set = buffer.context, None, None, False
        made._sizes = np.array(lengths, np.int64)
        made._options = {"updates": True}
        made.classes, made._handle = np.array([]), handle("ww_dataset")
        check(
            lib.ww_dataset_create_from_lengths(
                buffer.context._c,
                buffer._c,
                len(lengths),
                channels,
                ffi.new("size_t[]", list(lengths)),
                precision_of(buffer.dtype),
                made._handle,
            )
        )
        return made

    @classmethod
    def from_long(
        cls,
        frame,
        *,
        series: Any,
        values: Any,
        time=None,
        label=None,
        precision: Optional[str] = None,
        times: bool = False,
        allow_nan: bool = False,
        max_bytes: int = 0,
        updates: bool = False,
        context: Optional[Context] = None,
    ) -> Dataset:
        """A dataset of a table in the long form: a row a point. Series keep the order of their first appearance.

        Parameters
        ----------
        frame : DataFrame or dict
            Of pandas or polars, or a dict of columns.
        series : str
            The column that names each row's series.
        values : str or list of str
            The columns of the channels.
        time : str, optional
            The column by which points are ordered: numbers, dates, or texts of either, which are read as such.
        label : str, optional
            The column of the labels.
        precision, times, allow_nan, max_bytes, updates, context
            As of Dataset().

        Returns
        -------
        Dataset

        Raises
        ------
        ValueError
            A row without a series or a time; texts that are no times; a series with several labels. What Dataset()
            refuses.
        TypeError
            Values that are no numbers.
        KeyError
            There is no such column.

        Examples
        --------
        >>> long = {"id": ["a", "a", "b", "b"], "when": [2, 1, 1, 2], "v": [1.0, 0.0, 5.0, 6.0]}
        >>> ww.Dataset.from_long(long, series="id", values="v", time="when").to_set()[0].tolist()
        [[0.0, 1.0]]
        """
        columns = [values] if isinstance(values, str) or not isinstance(values, (list, tuple)) else list(values)
        points = np.stack([of_argument(f"column {name!r}", as_numbers, frame[name]) for name in columns], axis=1)
        stamps = None if time is None else time_keys(frame[time], f"column {time!r}")
        arrays, rows = by_series(frame[series], points, stamps)
        labels = None if label is None else _labels_of(label_list(frame[label]), rows, label)
        return cls(
            arrays,
            labels,
            axes="nct",
            precision=precision,
            times=times,
            allow_nan=allow_nan,
            max_bytes=max_bytes,
            updates=updates,
            context=context,
        )

    @property
    def _c(self):
        return self._handle[0]

    def __len__(self) -> int:
        return lib.ww_dataset_count(self._c)

    channels = property(lambda self: lib.ww_dataset_channels(self._c), doc="Channels, without time stamps.")

    @property
    def _lengths(self):
        """Points of each series, which nobody changes: a call for each takes milliseconds, and they are asked for often."""
        if self._sizes is None:
            self._sizes = np.array([lib.ww_dataset_length(self._c, i) for i in range(len(self))], np.int64)
        return self._sizes

    @property
    def lengths(self) -> np.ndarray:
        """Points of each series."""
        return self._lengths.copy()

    @property
    def longest(self) -> int:
        """Points of the longest series."""
        return int(self._lengths.max())

    @property
    def precision(self) -> str:
        """What it is computed with: "float" or "double"."""
        return word_of("ww_precision", lib.ww_dataset_precision(self._c))

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of distances computed from it."""
        return DTYPES[self.precision]

    @property
    def codes(self) -> np.ndarray:
        """The class number of each series: an index into `classes`, -1 without a label."""
        return np.array([lib.ww_dataset_class(self._c, i) for i in range(len(self))], np.int64)

    def update(self, series: Any, axes: Optional[str] = None) -> None:
        """Gives the dataset, made with updates=True, other values of the same shape, in place.

        Parameters
        ----------
        series : array_like
            As many series, channels and points.
        axes : str, optional
            The order of the axes; None: that of the dataset.

        Raises
        ------
        ValueError
            Not made with updates=True; another number of series, channels or points; NaN or infinity. Then the old
            values stay.

        Examples
        --------
        >>> data = ww.Dataset([[0.0, 1, 2]], updates=True)
        >>> data.update([[3.0, 4, 5]])
        >>> data.to_set()[0].tolist()
        [[3.0, 4.0, 5.0]]
        """
        check(lib.ww_dataset_update(self._c, view(series, axes or self._axes).c))

    def to_set(self) -> SeriesSet:
        """The series in host memory, with labels and time stamps: those of the dataset's set, or its values read back.

        Returns
        -------
        SeriesSet

        Raises
        ------
        MemoryError
            Host or device memory is too small.

        Examples
        --------
        >>> ww.Dataset([[0.0, 1, 2]], ["a"]).to_set().labels
        ['a']
        """
        return SeriesSet._make(lib.ww_dataset_series, self._c)

    def __reduce__(self):
        made, options = self.to_set(), {"precision": self.precision, "axes": self._axes, **self._options}
        if self._of_set:
            return _unpickled_dataset, (made, None, None, options)
        series = [made[i] for i in range(len(made))]
        if self._options.get("times"):
            series = [np.vstack([values, made.times(i)]) for i, values in enumerate(series)]
        series = [values.astype(self.dtype) for values in series]
        if made.min_length == made.max_length:
            series = np.stack(series)
        return _unpickled_dataset, (series, self.classes, self.codes, options)

    def __repr__(self):
        return f"<wavewarp.Dataset of {len(self)} series, {self.channels} channels, {self.precision}>"


def _unpickled_dataset(series, classes, codes, options):
    axes = options.pop("axes")
    if classes is None:
        made = Dataset(series, **options)
    else:
        y = [None if code < 0 else classes[code] for code in codes] if len(classes) else None
        made = Dataset(series, y, axes="nct", **options)
        made.classes = classes
    made._axes = axes
    return made


def _labels_of(labels, rows, name):
    """Each series' label, which all its rows have."""
    made = []
    for i, part in enumerate(rows):
        made.append(labels[part[0]])
        if any(labels[row] != made[-1] for row in part):
            raise ValueError(f"series {i} has several values of {name!r}")
    return made


def dataset(series: Any, y: Any = None, **options):
    """A dataset of anything that Dataset takes; one that is given stays."""
    return series if isinstance(series, Dataset) else Dataset(series, y, **options)


def datasets(
    rows,
    columns,
    *,
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    context: Optional[Context] = None,
    names=("x", "y"),
):
    """Two datasets of one precision for a job: double where either is. columns None stays None.

    names: of the two arguments, which errors say.
    """
    if rows is None:
        raise TypeError(f"{names[0]}: None is no series")
    made = [x for x in (rows, columns) if isinstance(x, Dataset)]
    if made:
        context, precision = made[0].context, made[0].precision
    context = context or default_context()
    views = [of_argument(name, _viewed, x, axes) for name, x in zip(names, (rows, columns))]
    if precision is None and context.has_double:
        kinds = [x.dtype if isinstance(x, View) else np.dtype(np.float64) for x in views if x is not None]
        precision = "float" if all(kind == np.float32 for kind in kinds) else "double"
    options = {"precision": precision or "float", "context": context, "axes": axes}
    return [None if x is None else of_argument(name, dataset, x, **options) for name, x in zip(names, views)]


def _viewed(values, axes):
    return (
        values if values is None or isinstance(values, (Dataset, SeriesSet)) or is_texts(values) else view(values, axes)
    )
