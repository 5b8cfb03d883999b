# SPDX-License-Identifier: Apache-2.0
"""Long jobs that go on where they were ended: arrays in files that several writers fill, and journals."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any, Optional

import numpy as np

from ._arrays import as_numbers, of_argument
from ._context import Context
from ._core import NULL, alone, check, ffi, info, lib, new, number
from ._series import DTYPES, pointer, precision_of

_SHARED = {"create": "WW_ARRAY_CREATE", "join": "WW_ARRAY_JOIN", "read": "WW_ARRAY_READ"}
_KEEP = {
    True: "WW_ARRAY_FILE_FINISH",
    False: "WW_ARRAY_FILE_REMOVE",
    "finish": "WW_ARRAY_FILE_FINISH",
    "remove": "WW_ARRAY_FILE_REMOVE",
    "leave": "WW_ARRAY_FILE_LEAVE",
}


class ArrayFile:
    """A file of a 2-D array that is filled block by block and appears under its name when it is closed.

    shared: None: one writer. "create", "join": a file that several writers fill (threads with an object each,
    processes, machines with a common folder): one creates it, others join, one finishes it; close("leave") leaves it
    to go on later. "read": one that is finished. With `with`: kept at the end; after an exception removed, a shared one
    left.

    Raises FileError (the disk is too small; the file is there, or is not), ValueError (not two axes, or too large;
    another word for shared; a text file that is shared), TypeError (another type).
    """

    def __init__(self, path, shape, dtype=np.float64, *, shared: Optional[str] = None) -> None:
        self._dtype = np.dtype(dtype)
        if self._dtype not in DTYPES.values():
            raise TypeError(f"a file of an array has float32 or float64, not {self._dtype}")
        if len(shape) != 2:
            raise ValueError(f"a file of an array has two axes, not shape {tuple(shape)}")
        self._shared, self._file = shared, ffi.new("ww_array_file **")
        what = (os.fsencode(path), precision_of(self._dtype), *shape)
        if shared is None:
            check(lib.ww_array_file_create(*what, self._file))
        elif shared in _SHARED:
            check(lib.ww_array_file_open_shared(*what, getattr(lib, _SHARED[shared]), self._file))
        else:
            raise ValueError(f"shared is {shared!r}, none of None, {', '.join(_SHARED)}")
        self._file = ffi.gc(self._file, _discard if shared is None else _leave)

    @alone
    def put(self, row, column, values: Any) -> None:
        """Writes a 2-D block at (row, column).

        Raises ValueError (not two axes, or not inside the array; the file is closed), FileError (the disk is full).
        """
        block = np.ascontiguousarray(of_argument("values", as_numbers, values), self._dtype)
        if block.ndim != 2:
            raise ValueError(f"a block has two axes, not shape {block.shape}")
        row, column = number("row", row), number("column", column)
        check(lib.ww_array_file_put(self._file[0], row, block.shape[0], column, block.shape[1], pointer(block)))

    @alone
    def get(self, row, rows, column, columns) -> np.ndarray:
        """A block of a shared file, of shape (rows, columns); 0 where nobody has written.

        Raises ValueError (a file that is not shared; not inside the array), FileError (it can't be read).
        """
        block = np.empty((rows, columns), self._dtype)
        row, column = number("row", row), number("column", column)
        check(lib.ww_array_file_get(self._file[0], row, rows, column, columns, pointer(block)))
        return block

    @alone
    def sync(self) -> None:
        """Brings what was put in a shared file to the disk: afterwards a journal may say so.

        Raises ValueError (a file that is not shared), FileError (the disk is full).
        """
        check(lib.ww_array_file_sync(self._file[0]))

    @alone
    def close(self, keep=True) -> None:
        """keep: True or "finish", False or "remove", "leave" (a shared file, for other writers).

        Raises ValueError (another word; values that nobody has put, where it is to be kept), FileError (the disk is
        full).
        """
        if keep not in _KEEP:
            raise ValueError(f"keep is {keep!r}, none of True, False, 'finish', 'remove', 'leave'")
        if self._file[0] != NULL:
            check(lib.ww_array_file_close(self._file, getattr(lib, _KEEP[keep])))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        left = self._shared == "read" or (kind is not None and self._shared is not None)
        self.close("leave" if left else kind is None)


def _discard(file):
    lib.ww_array_file_close(file, lib.WW_ARRAY_FILE_REMOVE)


def _leave(file):
    lib.ww_array_file_close(file, lib.WW_ARRAY_FILE_LEAVE)


class Journal:
    """Which units (rows, tiles, queries) of a long job are done, in a text file that is on disk as a whole.

    job, inputs, options: what tells the job from others: one line each, such as hashlib.sha256(x).hexdigest().
    units: how many there are; first: the number of the first. resume: go on with the file where there is one.
    context: whose device computes; any_device: another kind of device may go on. With `with`: removed at the end, left
    after an exception.

    Raises FileError (the file is there and resume is False; it is damaged; it belongs to another job: the text says
    what differs), ValueError (no units; a text of several lines).
    """

    def __init__(
        self,
        path,
        units: int,
        *,
        job: str,
        inputs: str = "",
        options: str = "",
        first: int = 0,
        resume: bool = True,
        any_device: bool = False,
        context: Optional[Context] = None,
    ) -> None:
        self._handle = ffi.gc(ffi.new("ww_journal **"), _forget)
        texts = [ffi.new("char[]", value.encode()) for value in (job, inputs, options)]
        made = new(
            "ww_journal_options",
            job=texts[0],
            inputs=texts[1],
            options=texts[2],
            context=None if context is None else context._c,
            first_unit=first,
            unit_count=units,
            resume=bool(resume),
            any_device=bool(any_device),
        )
        check(lib.ww_journal_open(os.fsencode(path), made, self._handle))

    @classmethod
    def read(cls, path) -> Journal:
        """A journal of any job, to be looked at.

        Raises FileError (it is not there, or is damaged).
        """
        made = cls.__new__(cls)
        made._handle = ffi.gc(ffi.new("ww_journal **"), _forget)
        check(lib.ww_journal_read(os.fsencode(path), made._handle))
        return made

    @alone
    def mark(self, first: int, count: int = 1) -> None:
        """These units are done; their results are on disk. In memory, until write().

        Raises ValueError (units that are not of this journal; it is closed).
        """
        check(lib.ww_journal_mark(self._handle[0], number("first", first), number("count", count)))

    @alone
    def write(self) -> None:
        """Brings all marks to the disk.

        Raises FileError (it can't be written).
        """
        check(lib.ww_journal_write(self._handle[0]))

    @alone
    def set_result(self, result: str) -> None:
        """Notes what the finished result is, such as the checksum of its file: info.result says it. In memory, until write().

        Raises ValueError (more than one line of text; the journal is closed).
        """
        check(lib.ww_journal_set_result(self._handle[0], str(result).encode()))

    @alone
    def __contains__(self, unit) -> bool:
        """Whether the unit is done."""
        return bool(lib.ww_journal_has(self._handle[0], number("unit", unit)))

    @property
    @alone
    def info(self) -> SimpleNamespace:
        """A record: version, job, inputs, options, device, first_unit, unit_count, done, found_done, result."""
        record = new("ww_journal_info")
        check(lib.ww_journal_get_info(self._handle[0], record))
        return info(record)

    @alone
    def close(self, keep: bool = True) -> None:
        """Leaves the file (marks since the last write() are lost), or removes it."""
        check(lib.ww_journal_close(self._handle, bool(keep)))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close(keep=kind is not None)


def _forget(journal):
    lib.ww_journal_close(journal, 1)
