# SPDX-License-Identifier: Apache-2.0
"""Points, bits and sets in host memory: descriptions of arrays, and files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._arrays import as_array, as_numbers, whole
from ._core import check, ffi, handle, keep, lib, new, word, word_of
from ._series import DTYPES, output, pointer, precision_of


KINDS = ("numbers", "bits", "sets")
# As ww_element counts them; the first: as the precision says.
ELEMENTS = (None, np.dtype(np.uint8), np.dtype(np.int8), np.dtype(np.float16))


class PointView:
    """A ww_point_view of the caller's arrays, which it keeps."""

    def __init__(self, values: Any, kind=None, dimension=None, narrow=False) -> None:
        self.kind = kind = kind or "numbers"
        if kind == "sets" or _are_sets(values):
            self.kind = "sets"
            self._sets(values)
        elif kind == "bits" or getattr(values, "dtype", None) == bool:
            self.kind = "bits"
            self._bits(as_array(values), dimension)
        elif kind == "numbers":
            self._numbers(_narrow_of(values) if narrow else as_numbers(values))
        else:
            raise ValueError(f"kind is {kind!r}, none of numbers, bits, sets")
        keep(self.c, self._kept)

    def _numbers(self, array):
        if array.ndim != 2:
            raise ValueError(f"points have shape (points, dimension), not {array.shape}")
        by_column = array.flags.f_contiguous and not array.flags.c_contiguous
        self._kept = array if by_column else np.ascontiguousarray(array)
        element = ELEMENTS.index(array.dtype) if array.dtype in ELEMENTS[1:] else 0
        self.dtype = DTYPES["float"] if element else array.dtype
        self.c = new(
            "ww_point_view",
            kind=lib.WW_POINTS_NUMBERS,
            values=pointer(self._kept),
            element=element,
            precision=precision_of(self.dtype),
            count=array.shape[0],
            dimension=array.shape[1],
            column_order=int(by_column),
        )

    def _bits(self, array, dimension):
        if array.ndim != 2:
            raise ValueError(f"points have shape (points, bits) of bool or (points, bytes), not {array.shape}")
        if array.dtype == bool:
            dimension = array.shape[1]
            array = np.packbits(array, axis=1, bitorder="little")
        if array.dtype != np.uint8:
            raise TypeError("bits are bool, or bytes (uint8) with the first bit lowest")
        self._kept, self.dtype = np.ascontiguousarray(array), DTYPES["float"]
        dimension = 8 * array.shape[1] if dimension is None else dimension
        if (dimension + 7) // 8 != array.shape[1]:
            raise ValueError(f"{dimension} bits are not in {array.shape[1]} bytes")
        self.c = new(
            "ww_point_view",
            kind=lib.WW_POINTS_BITS,
            values=pointer(self._kept),
            count=array.shape[0],
            dimension=dimension,
        )

    def _sets(self, values):
        members = [np.unique(whole(f"set {i}", _listed(i, value))) for i, value in enumerate(values)]
        if any(len(m) and (m[0] < 0 or m[-1] >= 2**32) for m in members):
            raise ValueError("members of sets are from 0 to 2^32 - 1")
        flat = np.concatenate([*members, np.empty(0, np.int64)]).astype(np.uint32)
        if not flat.size:
            flat = np.zeros(1, np.uint32)
        offsets = np.cumsum([0, *map(len, members)]).astype(np.uint64)
        self._kept, self.dtype = (flat, offsets), DTYPES["float"]
        self.c = new(
            "ww_point_view",
            kind=lib.WW_POINTS_SETS,
            values=pointer(flat),
            count=len(members),
            offsets=output(offsets, "uint64_t"),
        )


def _narrow_of(values):
    """The numbers as they are where they are bytes or halves, else as as_numbers() has them."""
    array = as_array(values)
    return array if array.dtype in ELEMENTS[1:] and array.dtype.isnative else as_numbers(values)


def _listed(i, value):
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return value
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
        raise TypeError(f"set {i} is a {type(value).__name__}, and no set of whole numbers")
    return list(value)


def _are_sets(values):
    return isinstance(values, (list, tuple)) and len(values) > 0 and isinstance(values[0], (set, frozenset))


def read_points(path, kind="numbers", narrow: bool = False) -> Any:
    """Reads the points of a file.

    Parameters
    ----------
    path : str or path
        .fvecs, .bvecs, .ivecs, .npy, or text.
    kind : str
        "numbers", "bits" or "sets".
    narrow : bool
        The numbers of .bvecs, and of .npy in uint8, int8 or float16, stay so.

    Returns
    -------
    ndarray or list of set
        Numbers of shape (points, dimension), bits as bytes, or sets.

    Raises
    ------
    FileError
        The file can't be opened, or is damaged: the text says where.
    ValueError
        There is no such kind.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ww.write_points(os.path.join(folder, "two.fvecs"), np.float32([[1, 2], [3, 4]]))
    ...     ww.read_points(os.path.join(folder, "two.fvecs")).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    made = handle("ww_point_set")
    read = lib.ww_point_set_read_narrow if narrow else lib.ww_point_set_read
    check(read(os.fsencode(path), word("ww_point_kind", kind), made))
    return values_of(made)


def values_of(points):
    """Copies of what a ww_point_set holds."""
    view = new("ww_point_view")
    check(lib.ww_point_set_view(points[0], view))
    if view.kind == lib.WW_POINTS_SETS:
        offsets = ffi.unpack(view.offsets, view.count + 1)
        flat = np.frombuffer(ffi.buffer(view.values, 4 * offsets[-1]), np.uint32) if offsets[-1] else []
        return [{int(v) for v in flat[a:b]} for a, b in zip(offsets, offsets[1:])]
    if view.kind == lib.WW_POINTS_BITS:
        width = (view.dimension + 7) // 8
        return np.frombuffer(ffi.buffer(view.values, view.count * width), np.uint8).reshape(-1, width).copy()
    dtype = ELEMENTS[view.element] or DTYPES[word_of("ww_precision", view.precision)]
    flat = np.frombuffer(ffi.buffer(view.values, view.count * view.dimension * dtype.itemsize), dtype)
    if view.column_order:
        return flat.reshape(view.dimension, view.count).T.copy()
    return flat.reshape(view.count, view.dimension).copy()


def write_points(path, values: Any, kind=None) -> None:
    """Writes points.

    Parameters
    ----------
    path : str or path
        The ending says the format: .fvecs, .bvecs (bits), .ivecs (sets), .npy, else text.
    values
        What Points takes.
    kind : str, optional
        "bits": bytes are bits.

    Raises
    ------
    FileError
        The file can't be written.
    ValueError
        The format can't hold such points.
    TypeError
        No numbers.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ww.write_points(os.path.join(folder, "points.npy"), [[1.0, 2.0]])
    ...     np.load(os.path.join(folder, "points.npy")).tolist()
    [[1.0, 2.0]]
    """
    check(lib.ww_point_view_write(os.fsencode(path), PointView(values, kind).c))


def sets_of_bits(values: Any) -> list:
    """Bits as sets: for each point the positions of its ones.

    Parameters
    ----------
    values : array_like of shape (points, bits) of bool or (points, bytes) of uint8
        In a byte the first bit is the lowest.

    Returns
    -------
    list of set

    Raises
    ------
    ValueError
        Not two axes.
    TypeError
        Neither bool nor bytes.

    Examples
    --------
    >>> ww.sets_of_bits(np.array([[True, False, True]]))
    [{0, 2}]
    """
    made = handle("ww_point_set")
    check(lib.ww_point_set_of_bits(PointView(values, "bits").c, made))
    return values_of(made)
