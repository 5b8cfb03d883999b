# SPDX-License-Identifier: Apache-2.0
"""What is held on a device and in a file: an index of series, hash tables of points."""

from __future__ import annotations

import io
import os
from typing import Any, Callable, NamedTuple, Optional, Type, TypeVar

from ._context import Context, default_context
from ._core import alone, check, ffi, handle, lib, run, written

_Made = TypeVar("_Made", bound="Saved")


class Functions(NamedTuple):
    """Of the library, for one kind."""

    kind: str
    save: Callable[..., Any]
    save_to: Callable[..., Any]
    load: Callable[..., Any]
    load_from: Callable[..., Any]


class Saved:
    _functions: Functions
    _handle: Any
    _run: Any
    context: Context

    @property
    def _c(self):
        return self._handle[0]

    @alone
    def save(self, path) -> None:
        """Writes all that is held, with options and removals, to a file.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        FileError
            It can't be written.
        """
        check(self._functions.save(self._c, os.fsencode(path)))

    @alone
    def to_bytes(self) -> bytes:
        """The bytes that save() writes.

        Returns
        -------
        bytes

        Raises
        ------
        MemoryError
            Host or device memory is too small.
        """
        return written(self._functions.save_to, self._c)

    @classmethod
    def _load(cls: Type[_Made], function, *arguments, context=None) -> _Made:
        made = cls.__new__(cls)
        made.context, made._handle, made._run = context or default_context(), handle(cls._functions.kind), run()
        check(function(made.context._c, *arguments, made._run, made._handle))
        return made

    @classmethod
    def load(cls: Type[_Made], path, *, context: Optional[Context] = None) -> _Made:
        """Reads a file that save() wrote, on any machine.

        Parameters
        ----------
        path : str or path
            The file.
        context : Context, optional
            The device; None: default_context().

        Returns
        -------
        LSH or SeriesIndex
            Of this class.

        Raises
        ------
        FileError
            It can't be opened, or no index is in it.
        MemoryError
            Host or device memory is too small.
        """
        return cls._load(cls._functions.load, os.fsencode(path), context=context)

    @classmethod
    def from_bytes(cls: Type[_Made], data, *, context: Optional[Context] = None) -> _Made:
        """An index of the bytes that to_bytes() gave.

        Parameters
        ----------
        data : bytes
            The bytes.
        context : Context, optional
            The device; None: default_context().

        Returns
        -------
        LSH or SeriesIndex
            Of this class.

        Raises
        ------
        FileError
            No index is in them.
        MemoryError
            Host or device memory is too small.
        """
        user = ffi.new_handle(io.BytesIO(data))
        return cls._load(cls._functions.load_from, lib.py_read_fn, user, context=context)
