# SPDX-License-Identifier: Apache-2.0
"""Arrays in device memory."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np

from ._arrays import as_numbers
from ._context import Context, default_context
from ._core import check, ffi, handle, lib


class Buffer:
    """An array in device memory: results go there, and series are taken from there, without the host.

    Plan.run() and Gradient.run() fill one that is given as `out`; Dataset.from_buffer() makes its values series. Buffer.of()
    has the values of an array.

    Parameters
    ----------
    shape : int or sequence of int
        Its values are unspecified at first.
    dtype : dtype
        float32 or float64.
    context : Context, optional
        None: default_context().

    Raises
    ------
    TypeError
        Another type.
    ValueError
        A shape without values.
    MemoryError
        More than the device has, or takes in one piece.

    Examples
    --------
    >>> ww.Buffer.of(np.float32([1, 2])).to_numpy().tolist()
    [1.0, 2.0]
    """

    def __init__(
        self, shape: Union[int, Sequence[int]], dtype: Any = np.float32, *, context: Optional[Context] = None
    ) -> None:
        self.context = context or default_context()
        self.shape: tuple = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.float32, np.float64):
            raise TypeError(f"a buffer has float32 or float64, not {self.dtype}")
        if not self.shape or min(self.shape) < 1:
            raise ValueError(f"a buffer of shape {self.shape} has no values")
        self.size = int(np.prod([int(n) for n in self.shape], dtype=object))
        self._handle = handle("ww_buffer")
        check(lib.ww_buffer_create(self.context._c, self.size * self.dtype.itemsize, self._handle))

    @classmethod
    def of(cls, values: Any, *, context: Optional[Context] = None) -> Buffer:
        """A buffer with the values, shape and type of an array.

        Parameters
        ----------
        values : array_like
            float32 or float64.
        context : Context, optional
            The device; None: default_context().

        Returns
        -------
        Buffer

        Raises
        ------
        TypeError
            Another type than float32 or float64.
        ValueError
            No values.
        MemoryError
            The device's memory is too small.

        Examples
        --------
        >>> buffer = ww.Buffer.of(np.ones((2, 3)))
        >>> buffer.write(np.zeros((2, 3)))
        >>> buffer.to_numpy().tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        array = np.asarray(values)
        made = cls(array.shape, array.dtype, context=context)
        made.write(array)
        return made

    @classmethod
    def _of_cuda(cls, address, shape, dtype, context) -> Buffer:
        """Device memory of CUDA that its owner keeps, in a context of CUDA."""
        made = cls.__new__(cls)
        made.context, made.shape, made.dtype = context, tuple(shape), np.dtype(dtype)
        made.size = int(np.prod([int(n) for n in made.shape], dtype=object))
        made._handle = handle("ww_buffer")
        check(lib.ww_buffer_wrap_cuda(context._c, address, made.size * made.dtype.itemsize, made._handle))
        return made

    @property
    def _c(self):
        return self._handle[0]

    @property
    def nbytes(self) -> int:
        """Bytes of device memory."""
        return lib.ww_buffer_bytes(self._c)

    def write(self, values: Any) -> None:
        """Gives the buffer the values of an array of its shape.

        Parameters
        ----------
        values : array_like
            The values.

        Raises
        ------
        ValueError
            Another shape.

        Examples
        --------
        >>> buffer = ww.Buffer.of(np.ones(3))
        >>> buffer.write([1.0, 2.0, 3.0])
        >>> buffer.to_numpy().tolist()
        [1.0, 2.0, 3.0]
        """
        array = np.ascontiguousarray(as_numbers(values), self.dtype)
        if array.shape != self.shape:
            raise ValueError(f"values of shape {array.shape} for a buffer of shape {self.shape}")
        check(lib.ww_buffer_write(self._c, 0, array.nbytes, ffi.from_buffer(array)))

    def to_numpy(self) -> np.ndarray:
        """A copy of the values, once the work that fills the buffer is done.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> ww.Buffer.of(np.ones(3)).to_numpy().tolist()
        [1.0, 1.0, 1.0]
        """
        array = np.empty(self.shape, self.dtype)
        check(lib.ww_buffer_read(self._c, 0, array.nbytes, ffi.from_buffer(array)))
        return array

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("copy is False, and values in device memory have to be copied")
        return self.to_numpy().astype(dtype or self.dtype, copy=False)

    def __repr__(self):
        return f"<wavewarp.Buffer of {self.dtype} values of shape {self.shape}>"
