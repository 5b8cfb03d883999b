# SPDX-License-Identifier: Apache-2.0
"""Arrays of numbers, and labels, of what users give."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import NULL, ffi, keep


def as_array(values: Any):
    """An array of anything that has NumPy's, the buffer or the DLPack protocol; of a tensor without its gradient."""
    if hasattr(values, "detach"):
        values = values.detach()
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    return np.asarray(values)


def as_numbers(values: Any):
    """The same as float32 or float64 in this machine's byte order: a copy only where it is something else."""
    array = values if type(values) is np.ndarray else as_array(values)
    if isinstance(values, np.ma.MaskedArray):
        array = np.ma.filled(values.astype(np.promote_types(values.dtype, np.float32)), np.nan)
    elif array.dtype == object and hasattr(values, "to_numpy"):  # pandas' types that have a missing value of their own
        array = values.to_numpy(dtype=np.float64, na_value=np.nan)
    if array.dtype.char in "df" and array.dtype.isnative:
        return array
    if array.dtype.kind not in "fiub":
        raise TypeError(f"numbers are needed, not {type(values).__name__ if array.ndim == 0 else array.dtype}")
    kind = np.float32 if array.dtype.kind == "f" and array.dtype.itemsize <= 4 else np.float64
    return np.asarray(array, kind) if array.dtype.isnative else array.astype(kind)


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
    return [None if _is_missing(label) else label for label in labels.tolist()]


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
    if len({str(name).split("\0")[0] for name in classes.tolist()}) != len(classes):  # as C sees them
        raise ValueError("labels that differ as values but not as texts")
    names = [ffi.new("char[]", str(name).encode()) for name in classes.tolist()]
    return classes, keep(ffi.new("char *[]", [NULL if code < 0 else names[code] for code in codes]), names)
