# SPDX-License-Identifier: Apache-2.0
"""Arrays and lists as series: which of their axes are series, channels and time."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import as_numbers, told_of
from ._core import notice
from ._frames import frame_one, frame_series, library_of

AXES = ("nct", "ntc", "nt", "tn", "ct", "tc")


def is_ragged(values: Any):
    """Whether these are series in objects of their own, not one array."""
    if isinstance(values, np.ndarray):
        return values.dtype == object and values.ndim > 0
    if not isinstance(values, (list, tuple)) or not values:
        return False
    return isinstance(values[0], (list, tuple)) or getattr(values[0], "ndim", 0) > 0 or _is_buffer(values[0])


def _is_buffer(value):
    return not isinstance(value, (str, bytes)) and not np.isscalar(value) and np.ndim(value) > 0


def check_axes(axes):
    if axes not in (None, *AXES):
        raise ValueError(
            f"axes is {axes!r}, not 'nct' (series, channel, time) or 'ntc' (series, time, channel); of two axes 'nt', "
            "'tn', 'ct' or 'tc'"
        )


def is_time_first(second, last):
    """Whether the last two axes of an array are time and channel: the rule of .npy files, of arrays in memory too."""
    return second > 1 and (last == 1 or second // 8 >= last)


def guessed(shape, what):
    """Whether the last two axes are time and channel, where nobody has said; what is not certain is told."""
    second, last = shape[-2:]
    time_first = is_time_first(second, last)
    if second > 1 and second // 2 >= last:
        order = ("time, channel", "channel, time")[not time_first]
        series = "series, " if len(shape) == 3 else ""
        notice(
            f"{what} of shape {tuple(shape)} is taken as ({series}{order}): pass axes='{'ntc' if time_first else 'nct'}'"
            f" where that is right, else axes='{'nct' if time_first else 'ntc'}'"
        )
    return time_first


def _set_of(array, axes):
    """An array (series, channel, time) of an array of two or three axes."""
    if array.ndim == 1:
        raise ValueError(
            "one series alone: pass x[None], of shape (1, time), or [x] as a set of one"
            if len(array)
            else "there are no series"
        )
    if array.ndim not in (2, 3):
        raise ValueError(f"shape {array.shape} is neither (series, time) nor (series, channel, time)")
    if axes is not None and len(axes) != array.ndim and axes not in ("nct", "ntc"):
        raise ValueError(f"axes is {axes!r}, for two axes, and the array has shape {array.shape}")
    if array.ndim == 3:
        return array.swapaxes(1, 2) if axes == "ntc" or (axes is None and guessed(array.shape, "an array")) else array
    if axes == "ct" or axes == "tc":
        return array[None] if axes == "ct" else array.T[None]
    if axes == "tn":
        return array.T[:, None, :]
    if axes != "nt" and array.shape[1] == 1 and array.shape[0] > 1:
        notice(
            f"an array {array.shape} is taken as one series of {len(array)} points: axes='nt' makes it that many of one"
        )
        return array.T[None]
    if axes is None:
        _tell_table(array)
    return array[:, None, :]

_MANY, _SHORT = 100, 4  # as of files


def _tell_table(array):
    """Tells of a table that may be no set of series, a row a series: the rule of files, of arrays in memory too."""
    count, length = array.shape
    told = f"an array {array.shape} is taken as {count} series of {length} points"
    if count == length > 2 and not array.diagonal().any() and (array == array.T).all() and array.any():
        notice(f"{told}, and looks like a matrix of distances: axes='nt' says that its rows are series")
    elif count >= _MANY and length <= _SHORT:
        notice(f"{told}: axes='nt' where that is right, axes='tc' where it is one series, 'tn' where columns are series")


def one_of(array, axes):
    """An array (channel, time) of one series of one or two axes, whose order is known."""
    if array.ndim == 1:
        return array[None]
    if axes in ("nt", "tn") and array.shape["tn".index(axes[1])] != 1:
        raise ValueError(f"axes is {axes!r}, and a series of shape {array.shape} has channels and time")
    return array.T if axes in ("ntc", "tc", "tn") else array


def _list_of(values, axes):
    """The arrays (channel, time) of a list of series."""
    arrays: list = []
    for i, value in enumerate(values):
        try:
            arrays.append(frame_one(value, axes, as_numbers) if library_of(value) else as_numbers(value))
        except (ValueError, TypeError) as error:
            raise told_of(f"series {i}", error)
        if arrays[-1].ndim not in (1, 2):
            raise ValueError(f"series {i} has shape {arrays[-1].shape}, neither (time,) nor (channel, time)")
    # What is known of a table is in order; of arrays of two axes the one in which all agree is the channels'.
    free = [i for i, value in enumerate(values) if arrays[i].ndim == 2 and not library_of(value)]
    order = axes if axes is not None or not free else _order_of([arrays[i].shape for i in free])
    for i in range(len(arrays)):
        arrays[i] = one_of(arrays[i], order if not library_of(values[i]) else "ct")
    return arrays


def _order_of(shapes):
    first, last = ({shape[axis] for shape in shapes} for axis in (0, 1))
    if len(first) == 1 and len(last) > 1:
        return "ct"
    if len(first) > 1 and len(last) == 1 and min(first) // 2 >= min(last):
        notice(
            "a list of series whose last axes agree is taken as (time, channel): pass axes='ntc' where that is right"
        )
        return "tc"
    if len(first) > 1 and len(last) == 1:
        told = " and ".join(map(str, sorted(first)))
        raise ValueError(
            f"series have {told} channels; axes='ntc' makes these their points, and the last axis channels"
        )
    return "tc" if len(first) == 1 and guessed(shapes[0], "a series") else "ct"


def plain_shapes(values, axes):
    """(channels, lengths, whether time is the first axis) of a list that the library reads as it is, or None.

    Contiguous arrays of one type and number of axes. Of ten thousand short series each call of NumPy for each of them
    takes milliseconds.
    """
    check_axes(axes)
    if not isinstance(values, (list, tuple)) or set(map(type, values)) != {np.ndarray}:
        return None
    kinds, axis_counts = {a.dtype for a in values}, {a.ndim for a in values}
    kind = next(iter(kinds))
    if len(kinds) > 1 or kind.char not in "df" or not kind.isnative or not all(a.flags.c_contiguous for a in values):
        return None
    if axis_counts == {1}:
        return 1, np.fromiter(map(len, values), np.int64, len(values)), False
    if axis_counts != {2} or axes in ("nt", "tn"):
        return None
    shapes = [a.shape for a in values]
    by_time = (axes or _order_of(shapes)) in ("ntc", "tc")
    lengths, channels = np.array(shapes if by_time else [shape[::-1] for shape in shapes], np.int64).T
    return None if (channels != channels[0]).any() else (int(channels[0]), lengths, by_time)


def arranged(values: Any, axes: Optional[str] = None):
    """Series as an array (series, channel, time), or as a list of arrays (channel, time)."""
    check_axes(axes)
    if library_of(values):
        values, axes = frame_series(values, axes, as_numbers)
    return _list_of(values, axes) if is_ragged(values) else _set_of(as_numbers(values), axes)
