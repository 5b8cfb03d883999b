# SPDX-License-Identifier: Apache-2.0
"""Arrays of numbers, and labels, of what users give."""

from __future__ import annotations

import numbers
import re
from typing import Any

import numpy as np

from ._core import NULL, ffi, keep
from ._frames import library_of, numbers_of


def as_array(values: Any):
    """An array of anything that has NumPy's, the buffer or the DLPack protocol; of a tensor without its gradient."""
    if hasattr(values, "detach"):
        values = values.detach()
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    try:
        return np.asarray(values)
    except ValueError:  # of lists that are no table, in NumPy's words
        raise ValueError(_unequal(values)) from None


def _unequal(values):
    if not isinstance(values, (list, tuple)):
        return f"no array can be made of {type(values).__name__}"
    shapes = [np.shape(part) if not isinstance(part, (list, tuple)) else (len(part),) for part in values]
    odd = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), None)
    if odd is None:
        return f"the lists in part {_odd_part(values)} have different lengths"
    told = [f"{shape[0]} values" if shape else "one number" for shape in (shapes[0], shapes[odd])]
    return f"the lists have different lengths: {told[0]} in part 0, {told[1]} in part {odd}"


def _odd_part(values):
    for i, part in enumerate(values):
        try:
            np.asarray(part)
        except ValueError:
            return i
    return 0


def as_numbers(values: Any):
    """The same as float32 or float64 in this machine's byte order: a copy only where it is something else."""
    if type(values) is np.ndarray:
        array = values
    elif library_of(values):
        array = numbers_of(values)
    else:
        array = as_array(values)
    if isinstance(values, np.ma.MaskedArray):
        array = np.ma.filled(values.astype(np.promote_types(values.dtype, np.float32)), np.nan)
    if array.dtype.char in "df" and array.dtype.isnative:
        return array
    if array.dtype.kind not in "fiub":
        raise TypeError(f"numbers are needed, not {_kind_told(values, array)}")
    kind = np.float32 if array.dtype.kind == "f" and array.dtype.itemsize <= 4 else np.float64
    made = np.asarray(array, kind) if array.dtype.isnative else array.astype(kind)
    if kind is np.float64 and array.dtype.itemsize >= 8 and array.dtype != np.float64:
        _check_held(array, made)
    return made


def _check_held(array, made):
    """Refuses whole numbers beyond 2^53, and long doubles, that differ by digits which double does not have."""
    whole = array.dtype.kind in "iu"
    if array.size == 0 or array.ndim == 0 or (whole and max(int(array.max()), -int(array.min())) <= 2**53):
        return
    with np.errstate(invalid="ignore"):
        wide = array.astype(np.longdouble)
        lost, spread = np.abs(wide - made), np.ptp(wide, axis=-1, keepdims=True)
        shows = lost > 1e-4 * np.where(spread > 0, spread, np.ptp(wide))
    if shows.any():
        odd = array[shows][0]
        raise ValueError(f"double does not hold what these {array.dtype} differ by, as {odd}: subtract an offset first")


def _kind_told(values, array):
    if array.ndim == 0:
        return type(values).__name__
    if array.dtype.kind == "M" or array.dtype.kind == "m":
        return f"dates ({array.dtype})"
    if array.dtype.kind in "US":
        odd = next((v for v in array.flat if not _NUMBER.fullmatch(str(v))), array.flat[0] if array.size else "")
        return f"texts, as {str(odd)!r}"
    if array.dtype == object:
        odd = next((v for v in array.flat if isinstance(v, str) or not isinstance(v, numbers.Real)), None)
        return f"objects, as {odd!r:.40}"
    return str(array.dtype)


def doubles(name: str, values: Any):
    """A contiguous array of float64 of numbers; an error says what they are."""
    try:
        return np.ascontiguousarray(as_numbers(values), np.float64)
    except (ValueError, TypeError) as error:
        raise told_of(name, error)


def whole(name: str, values: Any, dtype=np.int64):
    """A contiguous array of whole numbers: what has a fraction is refused, and never cut."""
    try:
        array = as_array(values)
    except ValueError as error:
        raise told_of(name, error)
    if array.size == 0:
        return np.ascontiguousarray(array, dtype)
    if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.floor(array))).all():
        odd = array[~(np.isfinite(array) & (array == np.floor(array)))].flat[0]
        raise TypeError(f"{name}: whole numbers are needed, and {odd} is none")
    if array.dtype == object and all(isinstance(value, numbers.Integral) for value in array.flat):
        raise ValueError(f"{name}: a number is beyond 64 bits")
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{name}: whole numbers are needed, not {_kind_told(values, array)}")
    if array.dtype.kind == "f" and (np.abs(array) >= 2.0**63).any():
        raise ValueError(f"{name}: a number is beyond 64 bits")
    return np.ascontiguousarray(array, dtype)


def of_argument(name: str, function, *arguments, **options):
    """What a function gives; its errors say which argument they are of."""
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError, MemoryError) as error:
        raise told_of(name, error)


def told_of(name: str, error):
    """The same error, whose text begins with the argument that it is of."""
    words = error.args[0] if error.args else None
    if isinstance(words, str) and not words.startswith(f"{name}: "):
        error.args = (f"{name}: {words}", *error.args[1:])
    return error


def _is_missing(label):
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA
        return True


def label_list(labels: Any) -> list:
    """The labels in their order, whatever index they have; None for what is missing."""
    labels = as_array(labels)
    if labels.ndim != 1:
        raise ValueError(f"labels of shape {labels.shape}: one a series")
    listed = labels.tolist()
    if labels.dtype.kind == "f" and labels.dtype.itemsize < 8:  # 0.1 is no 0.10000000149
        listed = [float(str(label)) for label in labels]
    return [None if _is_missing(label) else label for label in listed]


_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def label_text(label: Any) -> str:
    """A label as the library has it: of numbers the plain form, as files have: 1 of 1.0 and of "1.0"."""
    words = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
    if not _NUMBER.fullmatch(words):
        return words
    value = float(words)
    if abs(value) < 1e15 and value == int(value):
        return str(int(value))
    return words if words.lstrip("+-").isdigit() or not np.isfinite(value) else repr(value)


def classes_of(labels: Any):
    """The different labels in order of first appearance, and each label's number; -1 for None, NaN and pandas.NA."""
    labels = as_array(labels)
    found: dict = {}
    listed = [-1 if label is None else found.setdefault(label, len(found)) for label in label_list(labels)]
    codes = np.array(listed, np.int64)
    values = list(found)
    return np.array(values, labels.dtype if labels.dtype != object else None) if values else labels[:0], codes


def label_names(y, count: int):
    """The different labels of `count` series, and an array of each one's text for the library."""
    if y is None:
        return np.array([]), None
    classes, codes = classes_of(y)
    if len(codes) != count:
        raise ValueError(f"{len(codes)} labels for {count} series")
    words = [label_text(name) for name in classes.tolist()]
    if len({word.split("\0")[0] for word in words}) != len(classes):  # as C sees them
        raise ValueError("labels that differ as values but not as texts, as 1 and '1'")
    names = [ffi.new("char[]", word.encode()) for word in words]
    return classes, keep(ffi.new("char *[]", [NULL if code < 0 else names[code] for code in codes]), names)
