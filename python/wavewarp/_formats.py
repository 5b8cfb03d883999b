# SPDX-License-Identifier: Apache-2.0
"""Files that libraries of others read: Parquet, Arrow, HDF5, MATLAB, sound. Their tables and arrays are then taken as
.csv and .npy are, with the same options. Sets of the UCR and UEA archives by name.
"""

from __future__ import annotations

import io
import os
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

import numpy as np

from ._arrays import as_numbers
from ._core import FileError, needs, notice
from ._series import SeriesSet

_KINDS: Dict[str, Tuple[Tuple[bytes, ...], Tuple[str, ...]]] = {  # how a file begins, and how its name ends
    "parquet": ((b"PAR1",), (".parquet", ".pq")),
    "arrow": ((b"ARROW1", b"FEA1"), (".arrow", ".feather", ".ipc")),
    "hdf5": ((b"\x89HDF",), (".h5", ".hdf5", ".hdf")),
    "matlab": ((b"MATLAB ",), (".mat",)),
    "sound": ((b"RIFF", b"fLaC", b"OggS", b"FORM"), (".wav", ".flac", ".ogg", ".aif", ".aiff")),
}
_ARRAYS = (*_KINDS["hdf5"][1], *_KINDS["matlab"][1])
_EXTRA = "'wavewarp[files]'"
_LABELS = ("label", "labels", "class", "classes", "class_label", "target")


def kind_of(name: str, begins: bytes) -> Optional[str]:
    """What a file is by its first bytes or its name; None: the library reads it."""
    plain = split(name)[0].lower()
    for kind, (marks, endings) in _KINDS.items():
        if begins.startswith(marks) or (plain.endswith(endings) and not begins.startswith(b"\x93NUMPY")):
            return kind
    return None


def split(name: str) -> Tuple[str, Optional[str]]:
    """(file, the array in it) of FILE.h5:NAME; None: the name has none."""
    low = name.lower()
    for ending in _ARRAYS:
        at = low.find(ending + ":")
        if at >= 0 and not os.path.exists(name):
            return name[: at + len(ending)], name[at + len(ending) + 1 :]
    return name, None


def foreign(kind: str, source: Any, name: str, options: Dict[str, Any]) -> Any:
    """What a file holds: "csv" or "npy" and the bytes of such a file, or a SeriesSet. source: its path, or a file."""
    try:
        if kind in ("parquet", "arrow"):
            return _of_table(_table(source, kind), options)
        if kind == "sound":
            _check_riff(source)
            values, _ = needs("soundfile", _EXTRA).read(source, always_2d=True)
            return SeriesSet([np.ascontiguousarray(values.T)], axes="ct")
        return _of_array(_array(source, kind, split(name)[1]))
    except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        raise _told(name, error)


def _check_riff(source):
    """Refuses a .wav that is cut short, which libsndfile reads as far as it goes."""
    held = open(source, "rb") if isinstance(source, str) else source
    begin, size = held.read(8), held.seek(0, os.SEEK_END)
    held.seek(0)
    if isinstance(source, str):
        held.close()
    told = int.from_bytes(begin[4:8], "little") + 8
    if begin[:4] == b"RIFF" and told - 8 not in (0, 0xFFFFFFFF) and size < told:
        raise ValueError(f"the file is cut short: {size} bytes of {told}")


def _told(name, error):
    """The error of a library of others, with the file's name."""
    if isinstance(error, OSError) and error.filename is not None:
        return error  # it names the file
    words = error.args[0] if error.args and isinstance(error.args[0], str) else error
    return FileError(f"{name}: {words}")


# ---- tables


def _table(source, kind):
    arrow = needs("pyarrow", _EXTRA)
    if kind == "parquet":
        return needs("pyarrow.parquet", _EXTRA).read_table(source)
    file = arrow.memory_map(source) if isinstance(source, str) else arrow.PythonFile(source, "r")
    try:
        return needs("pyarrow.feather", _EXTRA).read_table(file)
    except arrow.ArrowInvalid:  # a stream has no footer
        file.seek(0)
        return arrow.ipc.open_stream(file).read_all()


def _is_list(kind):
    return str(kind).startswith(("list", "large_list", "fixed_size_list"))


def _of_table(table, options):
    if any(_is_list(field.type) for field in table.schema):
        return _nested(table, options.get("label_column"))
    arrow = needs("pyarrow", _EXTRA)
    columns = []
    for column in table.columns:
        kind = str(column.type)
        if kind.startswith("dictionary"):
            column = column.cast(arrow.string())
        elif kind == "bool":
            column = column.cast(arrow.int8())
        elif kind.startswith(("float", "halffloat", "decimal")):
            column = column.cast(arrow.float64())  # all digits of a float
        columns.append(column)
    to = io.BytesIO()
    csv = needs("pyarrow.csv", _EXTRA)
    csv.write_csv(arrow.table(columns, names=list(table.column_names)), to)
    return "csv", to.getvalue()


def _nested(table, label_column):
    """Lists in cells: a row a series, each column of lists a channel."""
    names = table.column_names
    channels = [name for name, field in zip(names, table.schema) if _is_list(field.type)]
    if isinstance(label_column, int):
        label_column = names[label_column - 1]
    if label_column is not None and label_column not in names:
        raise ValueError(f"there is no column named {label_column!r}")
    rest = [name for name in names if name not in channels]
    label = label_column or next((name for name in rest if name.lower() in _LABELS), None)
    left_out = [name for name in rest if name != label]
    if left_out:
        notice(f"columns {', '.join(left_out)} have no lists, as series do, and are left out")
    rows = zip(*(table.column(name).to_pylist() for name in channels))
    series = [np.stack([np.array(cell, np.float64) for cell in row]) for row in rows]
    return SeriesSet(series, None if label is None else table.column(label).to_pylist(), axes="ct")


# ---- arrays


def _array(source, kind, member):
    turned = False
    if kind == "matlab":
        try:
            found = needs("scipy.io", _EXTRA).loadmat(source)
            return _chosen({name: value for name, value in found.items() if not name.startswith("__")}, member)
        except NotImplementedError:  # MATLAB 7.3 is HDF5, whose first axis is MATLAB's last
            turned = True
            if not isinstance(source, str):
                source.seek(0)
    with needs("h5py", _EXTRA).File(source, "r") as file:
        found = {}
        file.visititems(lambda name, value: found.update({name: value}) if hasattr(value, "shape") else None)
        array = _chosen(found, None if member is None else member.strip("/"))[()]
    return array.T if turned else array


def _chosen(found, member):
    if member is None and len(found) == 1:
        return next(iter(found.values()))
    if member in found:
        return found[member]
    held = f"it holds {', '.join(sorted(found))}" if found else "it holds no array"
    raise ValueError(f"{'several arrays' if member is None else f'no array {member!r}'}: {held}; name one, as FILE:NAME")


def _of_array(array):
    if array.dtype == object:  # MATLAB's cells
        return SeriesSet([np.atleast_2d(np.squeeze(as_numbers(cell))) for cell in array.ravel()], axes="ct")
    to = io.BytesIO()
    np.save(to, as_numbers(np.asarray(array)))
    return "npy", to.getvalue()


# ---- the archives


class Datasets(NamedTuple):
    """The two sets of a problem of the archives: train and test."""

    train: SeriesSet
    test: SeriesSet


_ENDINGS = (".ts", ".arff", ".tsv", ".txt", ".csv")


def find(name: str, folder: Union[str, os.PathLike], part: str) -> str:
    """The file of a problem of the archives in a folder, or in a folder of its own there."""
    places = [os.path.join(folder, name), os.fspath(folder)]
    for place in places:
        for ending in _ENDINGS:
            for packed in ("", ".gz"):
                path = os.path.join(place, f"{name}_{part}{ending}{packed}")
                if os.path.exists(path):
                    return path
    raise FileNotFoundError(f"{name}_{part} with {', '.join(_ENDINGS)} is neither in {places[0]} nor in {places[1]}")
