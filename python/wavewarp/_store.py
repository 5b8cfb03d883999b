# SPDX-License-Identifier: Apache-2.0
"""Long jobs: what they compute kept in a file, to go on from or to share; arrays in files that are filled by blocks."""

from __future__ import annotations

import glob
import os
from types import SimpleNamespace
from typing import Any, Callable, Iterable, Optional, Tuple, TypeVar, Union

import numpy as np

from ._arrays import as_numbers, of_argument
from ._context import Context
from ._core import NULL, PartDone, alone, check, ffi, info, lib, new, number
from ._series import DTYPES, pointer, precision_of

_Result = TypeVar("_Result")


class Store:
    """A file that keeps what a call computes, so that the same call goes on after an end, or several processes share it.

    Parameters
    ----------
    path : path
        The file. Finished units (pairs, queries, tiles, parts of streams) are appended to it, each with its checksum.
    part : (int, int), optional
        (i, n): this process computes part i, from 1, of n, of about equal work. join() gives the whole result.
    resume : bool
        Goes on with a file that is there; False: it is an error.
    any_device : bool
        Also with one that another kind of device began: the last bits may differ.

    Raises
    ------
    FileError
        The file is no store, damaged, of another version or part, in use, there (resume False), or can't be written.
    ValueError
        A part that there is not.

    Notes
    -----
    run() calls a function with the store. What the results depend on (the values of all inputs, options, the kind of
    device) is compared: another call is refused, and the error says in what it differs. The result has the
    same bytes with and without a store. All functions that take `context` work with one; of jobs that devices don't divide
    (averages, k-means' centres) nothing is kept. With `with`: the file is removed at the end, and left after an
    exception; that of a part stays.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, wavewarp as ww
    >>> x = np.random.default_rng(0).normal(size=(20, 50))
    >>> folder = tempfile.mkdtemp()
    >>> with ww.Store(os.path.join(folder, "distances.store")) as store:
    ...     distances = store.run(ww.cdist, x)
    >>> for i in (1, 2):  # each perhaps on another machine
    ...     with ww.Store(os.path.join(folder, f"{i}-of-2.store"), part=(i, 2)) as store:
    ...         store.run(ww.cdist, x)
    >>> with ww.Store.join(os.path.join(folder, "*-of-2.store")) as parts:
    ...     bool((parts.run(ww.cdist, x) == distances).all())
    True
    >>> store = ww.Store(os.path.join(folder, "plan.store"))
    >>> plan = ww.Plan("dtw", ww.Dataset(x, context=store.context()))
    >>> plan.run().shape, store.info.done > 0
    ((20, 20), True)
    >>> store.close(keep=False)
    """

    def __init__(
        self,
        path: Union[str, os.PathLike],
        *,
        part: Optional[Tuple[int, int]] = None,
        resume: bool = True,
        any_device: bool = False,
    ) -> None:
        which, count = (0, 0) if part is None else (number("part", part[0]), number("part", part[1]))
        if part is not None and not 1 <= which <= count:
            raise ValueError(f"part is {part!r}; (i, n) is part i, from 1, of n")
        self._part, self._joined = part, False
        self._handle = ffi.gc(ffi.new("ww_store **"), _leave)
        options = new(
            "ww_store_options", resume=bool(resume), any_device=bool(any_device), part=which, part_count=count
        )
        check(lib.ww_store_open(os.fsencode(path), options, self._handle))

    @classmethod
    def join(cls, paths: Union[str, Iterable[Any]], *, any_device: bool = False) -> Store:
        """All parts of a division. The same call, run with them, computes nothing of what they have.

        Parameters
        ----------
        paths : str or iterable of paths
            The files in any order, or a pattern such as ``parts/*.store``. They are never removed.
        any_device : bool
            Also parts that different kinds of devices computed: the last bits may differ.

        Returns
        -------
        Store

        Raises
        ------
        FileError
            A part is missing, there twice, not complete or damaged; parts differ in version, division or job.
        ValueError
            No files.
        """
        names = sorted(glob.glob(paths)) if isinstance(paths, str) else list(paths)
        if not names:
            raise ValueError(f"no files: {paths!r}")
        made = cls.__new__(cls)
        made._part, made._joined = None, True
        made._handle = ffi.gc(ffi.new("ww_store **"), _leave)
        texts = [ffi.new("char[]", os.fsencode(name)) for name in names]
        check(lib.ww_store_open_parts(ffi.new("char *[]", texts), len(texts), bool(any_device), made._handle))
        return made

    def context(self, device=None, **options) -> Context:
        """A context that works with the store: for plans, and for functions that are called one after the other. In a
        context of a part each job raises PartDone.

        Parameters
        ----------
        device, **options
            As of Context().

        Returns
        -------
        Context

        Raises
        ------
        ValueError
            The store is closed. What Context() raises is raised too.
        """
        return Context(device, store=self, **options)

    def run(self, function: Callable[..., _Result], *args: Any, device=None, **options: Any) -> Optional[_Result]:
        """Computes a call with the store.

        Parameters
        ----------
        function : callable
            Takes `context`, as wavewarp.cdist does.
        *args, **options
            What it is called with.
        device
            As of Context().

        Returns
        -------
        the function's result
            None where the store is one of a part.

        Raises
        ------
        ValueError
            Of a part: nothing of the call is divided. The store is closed.
        FileError
            The store is of another call: the text says in what it differs. The file can't be written. What the function
            raises is raised too.
        """
        before = self.info.jobs
        try:
            made = function(*args, context=self.context(device), **options)
        except PartDone:
            return None
        if self._part is not None and self.info.jobs == before:
            raise ValueError(f"nothing of {getattr(function, '__name__', function)!r} is divided: it has no parts")
        return made

    @property
    @alone
    def info(self) -> SimpleNamespace:
        """A record: job, part, part_count, jobs, units (of the store's part), done, found_done, bytes, note."""
        record = new("ww_store_info")
        check(lib.ww_store_get_info(self._handle[0], record))
        return info(record)

    @alone
    def close(self, keep: bool = True) -> None:
        """Leaves the file or removes it. Contexts with the store must not be used any more.

        Parameters
        ----------
        keep : bool
            False: the file is removed, but never those of join().
        """
        check(lib.ww_store_close(self._handle, bool(keep)))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close(keep=kind is not None or self._part is not None)

    def __repr__(self):
        if self._handle[0] == NULL:
            return "<wavewarp.Store, closed>"
        now = self.info
        of = f", part {now.part} of {now.part_count}" if now.part else ", joined" if self._joined else ""
        return f"<wavewarp.Store of {now.job or 'no job yet'}{of}: {now.done} units>"


def _leave(store):
    lib.ww_store_close(store, 1)


class ArrayFile:
    """A file of an array with two axes that is filled block by block. It appears under its name when it is closed.

    With `with` it is kept at the end and removed after an exception.

    Parameters
    ----------
    path : str or path
        The file; .npy.
    shape : (int, int)
        Rows and columns.
    dtype
        numpy.float32 or numpy.float64.

    Raises
    ------
    FileError
        The disk is too small.
    ValueError
        Not two axes, or too large.
    TypeError
        Another type.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ww.ArrayFile(os.path.join(folder, "d.npy"), (2, 3)) as file:
    ...         file.put(0, 0, [[1.0, 2.0, 3.0]])
    ...         file.put(1, 0, [[4.0, 5.0, 6.0]])
    ...     np.load(os.path.join(folder, "d.npy")).tolist()
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    >>> file.close()  # which `with` has done
    """

    def __init__(self, path, shape, dtype=np.float64) -> None:
        self._dtype = np.dtype(dtype)
        if self._dtype not in DTYPES.values():
            raise TypeError(f"a file of an array has float32 or float64, not {self._dtype}")
        if len(shape) != 2:
            raise ValueError(f"a file of an array has two axes, not shape {tuple(shape)}")
        self._file = ffi.new("ww_array_file **")
        check(lib.ww_array_file_create(os.fsencode(path), precision_of(self._dtype), *shape, self._file))
        self._file = ffi.gc(self._file, _discard)

    @alone
    def put(self, row, column, values: Any) -> None:
        """Writes a block.

        Parameters
        ----------
        row, column : int
            Where it begins.
        values : array_like
            Two axes.

        Raises
        ------
        ValueError
            Not two axes, or not inside the array; the file is closed.
        FileError
            The disk is full.
        """
        block = np.ascontiguousarray(of_argument("values", as_numbers, values), self._dtype)
        if block.ndim != 2:
            raise ValueError(f"a block has two axes, not shape {block.shape}")
        row, column = number("row", row), number("column", column)
        check(lib.ww_array_file_put(self._file[0], row, block.shape[0], column, block.shape[1], pointer(block)))

    @alone
    def close(self, keep: bool = True) -> None:
        """Finishes the file or removes it.

        Parameters
        ----------
        keep : bool
            False: it is removed.

        Raises
        ------
        ValueError
            Values that nobody has put, where it is to be kept.
        FileError
            The disk is full.
        """
        if self._file[0] != NULL:
            check(lib.ww_array_file_close(self._file, bool(keep)))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close(kind is None)


def _discard(file):
    lib.ww_array_file_close(file, 0)
