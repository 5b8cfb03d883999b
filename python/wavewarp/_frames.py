# SPDX-License-Identifier: Apache-2.0
"""Tables of pandas, polars and xarray: their numbers, and which of their rows and columns are series, channels, time.

What is certain is taken; what has two readings is refused, with the words of axes= for both.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
import re
import sys
from typing import Any, Optional

import numpy as np

from ._core import notice

_TIMES = {
    *("time", "times", "timestamp", "timestamps", "time_stamp", "timepoint", "timepoints", "time_point", "t", "ds"),
    *("date", "dates", "datetime", "date_time", "year", "quarter", "month", "week", "day", "hour", "minute", "second"),
}
_CHANNELS = {
    *("channel", "channels", "c", "variable", "variables", "var", "dim", "dims", "dimension", "dimensions"),
    *("feature", "features", "sensor", "sensors", "signal", "signals"),
}
_SERIES = {
    *("series", "serie", "instance", "instances", "case", "cases", "case_id", "sample", "samples", "id", "unique_id"),
    *("series_id", "n", "batch", "subject", "recording"),
}
# What stands before the numbers of columns that are points in time: x1, x2, x3.
_COUNTED = {
    *("", "t", "time", "x", "y", "v", "val", "value", "att", "attribute", "p", "pt", "point", "step", "lag", "obs"),
    *("column", "col", "f", "feat", "feature", "d", "day", "h", "hour", "min", "minute", "month", "week", "year"),
}
_DATE = re.compile(r"\s*(\d{4}[-/]\d{1,2}([-/]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d{2})(\D|$)")
_MOMENTS = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


# Whose tables become those of pandas, by their own to_pandas().
_OTHERS = ("pyarrow", "narwhals", "modin", "cudf")


def library_of(values: Any) -> Optional[str]:
    """The library of a table or column: "pandas", "polars", "xarray" or "other"; None of anything else."""
    if type(values).__module__ in ("builtins", "numpy"):
        return None
    for kind in type(values).__mro__:
        root = kind.__module__.partition(".")[0]
        if root in ("pandas", "polars", "xarray"):
            return root
        if root in _OTHERS and hasattr(values, "to_pandas"):
            return "other"
    return None


def _known(values):
    """A table of another library as one of pandas or polars."""
    if library_of(values) != "other":
        return values
    native = values.to_native() if hasattr(values, "to_native") else values
    if library_of(native) != "other":
        return native
    try:
        return native.to_pandas()
    except ImportError:
        raise ModuleNotFoundError(f"a {type(values).__name__} is taken by pandas: pip install pandas") from None


# ---- numbers


def _is_missing(value):
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _refuse(name, what):
    raise TypeError(f"numbers are needed, and {name} has {what}")


def _check_objects(name, values):
    """Cells of any kind: numbers, and missing ones."""
    for value in values:
        if isinstance(value, _MOMENTS):
            _refuse(name, f"dates, as {value}")
        if np.ndim(value) == 0 and not _is_missing(value) and not isinstance(value, (numbers.Real, decimal.Decimal)):
            _refuse(name, f"{value!r}, {type(value).__name__}")
        if np.ndim(value) > 0:
            _refuse(name, "arrays")


def _check_column(name, column):
    """That a column of pandas has numbers, which nothing has to be read as."""
    kind, told = getattr(column.dtype, "kind", "O"), str(column.dtype)
    if kind in "mM" or told.startswith("period"):
        _refuse(name, f"dates ({told}): leave it out, or make it the index")
    if told == "category" or kind == "U" or told.startswith("str") or told.startswith("interval"):
        _refuse(name, f"values of type {told}")
    if kind == "O":
        _check_objects(name, column.tolist())
    elif kind not in "fiub":
        _refuse(name, f"values of type {told}")


def _of_pandas(values):
    if values.ndim == 2:
        kinds = set(map(str, values.dtypes))
        plain = all(isinstance(kind, np.dtype) and kind.kind in "fiub" for kind in values.dtypes)
        if not plain:
            for i, name in enumerate(values.columns):
                _check_column(f"column {name!r}", values.iloc[:, i])
        single = kinds == {"float32"}
    else:
        plain = isinstance(values.dtype, np.dtype) and values.dtype.kind in "fiub"
        if not plain:
            _check_column("it" if values.name is None else f"column {values.name!r}", values)
        single = str(values.dtype).lower() == "float32"
    if plain:
        return values.to_numpy()
    return values.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)


def _of_polars(values):
    polars = sys.modules["polars"]
    columns = [values] if isinstance(values, polars.Series) else values.get_columns()
    for column in columns:
        if not (column.dtype.is_numeric() or column.dtype in (polars.Boolean, polars.Null)):
            name, what = f"column {column.name!r}", "dates" if column.dtype.is_temporal() else "values"
            _refuse(name, f"{what} ({column.dtype})" + (": leave it out" if what == "dates" else ""))
    single = columns and all(column.dtype == polars.Float32 for column in columns)
    kind = polars.Float32 if single else polars.Float64
    made = [column.cast(kind).fill_null(float("nan")).to_numpy() for column in columns]
    return made[0] if isinstance(values, polars.Series) else np.stack(made, axis=1) if made else np.empty((0, 0))


def numbers_of(values: Any):
    """The numbers of a table or a column of the three libraries: an array of NumPy's.

    Dates, texts and categories are no numbers, and nothing is read as one.
    """
    values = _known(values)
    library = library_of(values)
    if library == "polars":
        if type(values).__name__ == "LazyFrame":
            raise TypeError("a LazyFrame has no values yet: pass what its collect() gives")
        return _of_polars(values)
    if library == "xarray":
        if not hasattr(values, "dims") or not hasattr(values, "values") or callable(values.values):
            raise TypeError("an xarray.Dataset has several arrays: pass one of them, or its to_array()")
        return np.asarray(values.values)
    if not hasattr(values, "ndim") or values.ndim not in (1, 2) or not hasattr(values, "to_numpy"):
        raise TypeError(f"numbers are needed, not {type(values).__name__}")
    if not hasattr(values, "iloc"):  # an index
        return _of_pandas(values.to_series())
    return _of_pandas(values)


# ---- times


def _is_moment(value):
    return isinstance(value, _MOMENTS) or (isinstance(value, str) and _DATE.match(value) is not None)


def _are_times(index) -> bool:
    """Whether the labels of an index of pandas are moments, or its name says so."""
    told = str(index.dtype)
    if getattr(index.dtype, "kind", "O") in "mM" or told.startswith("period"):
        return True
    if isinstance(index.name, str) and index.name.strip().lower() in _TIMES:
        return True
    return len(index) > 0 and _is_moment(index[0]) and _is_moment(index[-1])


def _count(names) -> bool:
    """Whether columns' names are numbers that rise, or a word with numbers that count: x1, x2, x3."""
    names = list(names)
    if all(isinstance(name, numbers.Real) and not isinstance(name, bool) for name in names):
        return all(a < b for a, b in zip(names, names[1:]))
    found: Any = [re.fullmatch(r"(.*?)[_. -]?(\d{1,9})", name) if isinstance(name, str) else None for name in names]
    if not all(found) or len({match[1] for match in found}) != 1 or found[0][1].lower() not in _COUNTED:
        return False
    counted = [int(match[2]) for match in found]
    return all(b == a + 1 for a, b in zip(counted, counted[1:]))


def time_keys(values: Any, what: str = "the times") -> np.ndarray:
    """Times as an array that sorts as they follow each other: numbers, or dates; texts are read as either.

    Raises ValueError (texts that are neither; missing ones).
    """
    if hasattr(values, "to_numpy"):
        if str(values.dtype).startswith("period"):
            values = (
                values.astype("int64") if not hasattr(values, "dt") else values.astype(object).map(lambda p: p.ordinal)
            )
        values = values.to_numpy()
    array = np.asarray(values)
    if array.dtype.kind in "fiub":
        missing = ~np.isfinite(array)
    elif array.dtype.kind in "mM":
        missing = np.isnat(array)
    else:
        return _keys_of_texts(array.tolist(), what)
    if missing.any():
        raise ValueError(f"{what}: the one of row {int(np.argmax(missing))} is missing")
    return array


def _keys_of_texts(values, what):
    for i, value in enumerate(values):
        if _is_missing(value):
            raise ValueError(f"{what}: the one of row {i} is missing")
    read = [[function(value) for function in (_number, _moment)] for value in values]
    for kind in (0, 1):
        keys = [both[kind] for both in read]
        if None not in keys:
            return np.array(keys, np.float64)
    wrong = next((value for value, both in zip(values, read) if both == [None, None]), None)
    if wrong is None:
        raise ValueError(f"{what}: some are numbers and some are dates")
    raise ValueError(
        f"{what}: {wrong!r} is neither a number nor a date as 2024-12-31 or 2024-12-31 23:59: make them numbers or "
        "dates, so that they sort as they follow each other"
    )


def _number(value):
    """A finite number, or the text of one; else None."""
    try:
        made = float(value)
    except (ValueError, TypeError):
        return None
    return made if np.isfinite(made) else None


def _moment(value):
    """Seconds of a date, of a time of day, or of the text of one; else None."""
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, datetime.date):
        made = value if isinstance(value, datetime.datetime) else datetime.datetime(value.year, value.month, value.day)
        return (made if made.tzinfo else made.replace(tzinfo=datetime.timezone.utc)).timestamp()
    text = str(value).strip().replace("/", "-")
    clock = re.fullmatch(r"(\d{1,3}):(\d{2})(?::(\d{2}(?:\.\d+)?))?", text)
    if clock:
        return int(clock[1]) * 3600.0 + int(clock[2]) * 60.0 + float(clock[3] or 0)
    made = re.fullmatch(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?([T ].*)?", re.sub(r"[zZ]$", "+00:00", text))
    if not made:
        return None
    rest = re.sub(r"\.(\d+)", lambda digits: "." + digits[1][:6].ljust(6, "0"), made[4] or "")
    rest = re.sub(r"\s*([+-]\d{2}):?(\d{2})?$", lambda zone: f"{zone[1]}:{zone[2] or '00'}", rest)
    try:
        day = datetime.datetime.fromisoformat(f"{made[1]}-{int(made[2]):02d}-{int(made[3] or 1):02d}{rest}")
    except ValueError:
        return None
    return _moment(day)


# ---- pandas


def _is_nested(frame) -> bool:
    columns = [frame] if frame.ndim == 1 else [frame.iloc[:, i] for i in range(frame.shape[1])]
    for column in columns:
        kept = column.dropna() if str(column.dtype) == "object" or "list" in str(column.dtype) else column[:0]
        if len(kept) and not isinstance(kept.iloc[0], (str, bytes)) and np.ndim(kept.iloc[0]) > 0:
            return True
    return False


def _nested(frame, read):
    """sktime's form: a row a series, and in each cell a channel."""
    rows = [[cell] for cell in frame] if frame.ndim == 1 else frame.itertuples(index=False, name=None)
    made = []
    for i, row in enumerate(rows):
        if any(np.ndim(cell) != 1 or isinstance(cell, str) for cell in row):
            wrong = next(c for c, cell in enumerate(row) if np.ndim(cell) != 1 or isinstance(cell, str))
            name = frame.name if frame.ndim == 1 else frame.columns[wrong]
            raise ValueError(f"row {i} has no series in column {name!r}, as other cells have")
        cells = [read(cell) for cell in row]
        if len({len(cell) for cell in cells}) != 1:
            lengths = " and ".join(str(n) for n in sorted({len(cell) for cell in cells}))
            raise ValueError(f"row {i}: its channels have {lengths} points")
        made.append(np.stack(cells))
    return made


def _panel(frame):
    """A row a point, with an index of (instance, time)."""
    index = frame.index
    if index.nlevels != 2:
        raise ValueError(f"an index of {index.nlevels} levels: two are (instance, time)")
    levels = [index.get_level_values(level) for level in (0, 1)]
    times = [_are_times(level) for level in levels]
    if all(times):
        raise ValueError("both levels of the index are times: the first names the series")
    instance, time = (levels[1], levels[0]) if times[0] else (levels[0], levels[1])
    values = _of_pandas(frame)
    values = values[:, None] if values.ndim == 1 else values
    return by_series(instance, values, time_keys(time, "the times of the index"))[0]


def by_series(names, values, times=None):
    """Rows (point, channel) by the names of their series: arrays (channel, time), and the rows of each.

    Series keep the order of their first appearance; points are ordered by their times where there are some.
    """
    codes: dict = {}
    names = names.tolist() if hasattr(names, "tolist") else list(names)
    if any(_is_missing(name) for name in names):
        raise ValueError("a row has no series: its name is missing")
    code = np.array([codes.setdefault(name, len(codes)) for name in names], np.int64)
    order = np.arange(len(code)) if times is None else np.argsort(times, kind="stable")
    order = order[np.argsort(code[order], kind="stable")]
    rows = np.split(order, np.cumsum(np.bincount(code, minlength=len(codes)))[:-1]) if len(codes) else []
    return [np.ascontiguousarray(values[part].T) for part in rows], rows


_FLAT = ("nt", "tn", "ct", "tc")


def _told(frame):
    return f"a {type(frame).__name__} of {frame.shape[0]} rows and {frame.shape[1]} columns"


def _pandas_axes(frame, axes):
    """The axes of a table of a set of series; None: as an array."""
    rows, columns = _are_times(frame.index), _are_times(frame.columns)
    if axes in _FLAT:
        return axes
    if frame.columns.nlevels > 1:
        raise ValueError(f"columns of {frame.columns.nlevels} levels: choose those of one, or name the axes")
    if rows and columns:
        raise ValueError(f"{_told(frame)}, both times: say axes='nt', a row a series, or axes='tn', a column a series")
    if frame.shape[1] == 1 and frame.shape[0] > 1:
        return "tc" if rows else None
    if rows:
        raise ValueError(
            f"{_told(frame)} whose rows are times has two readings: axes='tn', a column a series, or axes='tc', one "
            "series whose channels are the columns"
        )
    if columns or _count(frame.columns):
        return "nt" if columns else None
    raise ValueError(_named(frame))


def _named(frame):
    return (
        f"{_told(frame)} with names has several readings: axes='nt', a row a series; axes='tn', a column a series; "
        "axes='tc', one series, a row a point and a column a channel"
    )


def _pandas_axes_of_one(frame, axes):
    rows, columns = _are_times(frame.index), _are_times(frame.columns)
    if axes in ("ct", "nct") or (axes == "nt" and frame.shape[0] == 1):
        return "ct"
    if axes in ("tc", "ntc") or (axes == "tn" and frame.shape[1] == 1):
        return "tc"
    if rows != columns:
        return "tc" if rows else "ct"
    counted = _count(frame.columns)
    if frame.shape[1] == 1 or (frame.shape[0] == 1 and counted):
        return "tc" if frame.shape[1] == 1 else "ct"
    if not counted and not rows and frame.shape[0] > 1 and _count(frame.index):
        return "tc"
    raise ValueError(_two(frame))


def _two(frame):
    return (
        f"{_told(frame)} has two readings: axes='tc', a row a point and a column a channel, or axes='ct', a row a "
        "channel and a column a point"
    )


def _pandas(frame, axes, read):
    if not hasattr(frame, "iloc"):
        return numbers_of(frame), axes
    if frame.index.nlevels > 1:
        return _panel(frame), "ct"
    if _is_nested(frame):
        return _nested(frame, read), "ct"
    if frame.ndim == 1:
        return numbers_of(frame), axes
    return numbers_of(frame), _pandas_axes(frame, axes)


def _pandas_one(frame, axes, read):
    if not hasattr(frame, "iloc"):
        return numbers_of(frame)
    if frame.index.nlevels > 1 or _is_nested(frame):
        made = _panel(frame) if frame.index.nlevels > 1 else _nested(frame, read)
        if len(made) != 1:
            raise ValueError(f"one series is needed, and the {type(frame).__name__} has {len(made)}")
        return made[0]
    values = numbers_of(frame)
    return values if values.ndim == 1 or _pandas_axes_of_one(frame, axes) == "ct" else values.T


# ---- polars


def _is_list(column):
    return type(column.dtype).__name__ in ("List", "Array") or str(column.dtype).startswith(("List", "Array"))


def _polars_nested(frame, read):
    """The same where cells are lists: None where they are not."""
    columns = [frame] if not hasattr(frame, "get_columns") else frame.get_columns()
    lists = [_is_list(column) for column in columns]
    if not any(lists):
        return None
    if not all(lists):
        raise ValueError(f"column {columns[lists.index(False)].name!r} has no series in its cells, as others have")
    made = []
    for i in range(len(columns[0])):
        cells = [read(column[i]) for column in columns]
        if len({len(cell) for cell in cells}) != 1:
            raise ValueError(f"row {i}: its channels have different numbers of points")
        made.append(np.stack(cells))
    return made


def _polars(frame, axes, read):
    nested = None if type(frame).__name__ == "LazyFrame" else _polars_nested(frame, read)
    if nested is not None:
        return nested, "ct"
    values = numbers_of(frame)
    if values.ndim == 1 or axes in _FLAT:
        return values, axes
    if frame.shape[1] == 1 and frame.shape[0] > 1:
        return values, None
    if not _count(frame.columns):
        raise ValueError(_named(frame))
    return values, None


def _polars_one(frame, axes, read):
    nested = None if type(frame).__name__ == "LazyFrame" else _polars_nested(frame, read)
    if nested is not None:
        if len(nested) != 1:
            raise ValueError(f"one series is needed, and the {type(frame).__name__} has {len(nested)}")
        return nested[0]
    values = numbers_of(frame)
    if values.ndim == 1 or axes in ("ct", "nct"):
        return values
    if axes in ("tc", "ntc") or frame.shape[1] == 1 or (frame.shape[0] > 1 and not _count(frame.columns)):
        return values.T
    if frame.shape[0] == 1 and _count(frame.columns):
        return values
    raise ValueError(_two(frame))


# ---- xarray


def _xarray_roles(array):
    """Of each dimension "n", "c", "t", or "?"."""
    roles = []
    for name in array.dims:
        word = str(name).strip().lower()
        coordinates = array.coords[name].values if name in array.coords else None
        dates = coordinates is not None and coordinates.dtype.kind in "mM"
        is_time = dates or word in _TIMES
        roles.append("t" if is_time else "c" if word in _CHANNELS else "n" if word in _SERIES else "?")
    return roles


def _xarray(array, axes, one):
    """The array with its axes: as the dimensions' names say, or axes where they say nothing."""
    values = numbers_of(array)
    unnamed = all(re.fullmatch(r"dim_\d+", str(name)) for name in array.dims)
    if values.ndim < 2 or unnamed or (axes is not None and len(axes) == values.ndim):
        return values, axes
    roles = _xarray_roles(array)
    if roles.count("t") == 1 and roles.count("?") == 1:
        left = {"n", "c"} - set(roles) if values.ndim == 3 else {"c"} if one else set()
        if len(left) == 1:
            at, role = roles.index("?"), left.pop()
            roles[at] = role
            what = "channels" if role == "c" else "series"
            notice(f"dimension {array.dims[at]!r} is taken as the {what}: rename it so, or say axes= with all of them")
    order = "".join(roles)
    if not one and order in ("tc", "ct"):
        raise ValueError(
            f"dimensions {tuple(array.dims)} have two readings: axes={order!r}, one series of several channels, or "
            f"axes={order.replace('c', 'n')!r}, several series"
        )
    allowed = ("ct", "tc") if one else ("nct", "ntc", "nt", "tn", "ct", "tc")
    if order in allowed or order in ("nct", "ntc", "nt", "tn"):
        return values, order
    if sorted(order) == ["c", "n", "t"]:
        return values.transpose([order.index(letter) for letter in "nct"]), "nct"
    raise ValueError(
        f"dimensions {tuple(array.dims)} do not say which are series, channels and time: name the axes, as "
        f"axes={'ct' if one else 'nt' if values.ndim == 2 else 'nct'!r}"
    )


# ---- the doors


def frame_series(values: Any, axes: Optional[str], read):
    """A set of series of a table: an array with its axes, or a list of arrays (channel, time) with "ct".

    read: what makes numbers of a cell that is a series.
    """
    values = _known(values)
    library = library_of(values)
    if library == "pandas":
        return _pandas(values, axes, read)
    if library == "polars":
        return _polars(values, axes, read)
    return _xarray(values, axes, False)


def frame_one(values: Any, axes: Optional[str], read):
    """One series of a table: an array (time,) or (channel, time)."""
    values = _known(values)
    library = library_of(values)
    if library == "pandas":
        return _pandas_one(values, axes, read)
    if library == "polars":
        return _polars_one(values, axes, read)
    array, order = _xarray(values, axes, True)
    if array.ndim == 3 and order in ("nct", "ntc") and len(array) == 1:
        array, order = array[0], order[1:]
    if array.ndim == 2 and order in ("nt", "tn") and 1 in array.shape:
        order = "ct" if order == "nt" else "tc"
    if array.ndim > 2 or order in ("nt", "tn"):
        raise ValueError(f"one series is needed, and the array has shape {array.shape} of {tuple(values.dims)}")
    return array.T if order in ("tc", "ntc") else array


def is_flat_frame(values: Any) -> bool:
    """Whether it is a table of pandas or polars with one number a cell."""
    values = _known(values)
    library = library_of(values)
    if library == "pandas":
        return values.ndim == 2 and values.index.nlevels == 1 and not _is_nested(values)
    return library == "polars" and hasattr(values, "get_columns") and not any(map(_is_list, values.get_columns()))


def rows_are_times(values: Any) -> bool:
    """Whether the rows of a table of pandas are points in time."""
    values = _known(values)
    return library_of(values) == "pandas" and _are_times(values.index)
