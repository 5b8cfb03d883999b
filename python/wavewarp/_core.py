# SPDX-License-Identifier: Apache-2.0
"""The library's statuses, structs, names and callbacks in Python's terms. All other modules stand on this one."""

import functools
import importlib
import io
import operator
import sys
import threading
import time
import types
import warnings
import weakref
from typing import Any, Callable, TypeVar, Union, cast

from ._ffi import ffi, lib

NULL = ffi.NULL
# progress=: True (tqdm), a function of done and total, or a bar that has update().
Progress = Union[None, bool, Callable[[int, int], Any], Any]


class Error(Exception):
    """What every error of the library is, beside ValueError, MemoryError, OSError or RuntimeError.

    `status` is the name of the C status; `series`, `position` and `channel` say what it concerns, None where nothing.
    """

    status = None
    series = position = channel = None


class InvalidError(Error, ValueError):
    """An argument, or data, that can't be used."""


class OutOfMemoryError(Error, MemoryError):
    """Host or device memory."""


class FileError(Error, OSError):
    """A file that can't be opened, read, written or understood."""

    def __str__(self):
        return str(self.args[0]) if self.args else ""


class DeviceError(Error, RuntimeError):
    """The device, its driver or the library."""


class PartDone(Error):
    """A part of a job is computed and kept in its Store: there is no whole result. Store.run() gives None instead."""


class NoDeviceError(DeviceError):
    """No OpenCL device: the message says what to install."""


class Notice(UserWarning):
    """A warning: a guess about data (axes, headings, labels), or digits that a precision loses. It names the argument to give.

    warnings.simplefilter("error", wavewarp.Notice) makes errors of them, "ignore" silence.

    Raises nothing.
    """


def notice(words: str) -> None:
    """Warns of what was guessed, where the user's own code called."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "wavewarp":
        level, frame = level + 1, frame.f_back
    warnings.warn(words, Notice, stacklevel=level)


INSTALL = (
    "Install a device: pip install 'wavewarp[cpu]' (Intel's runtime for any x86_64 CPU, Intel's licence), "
    "conda install -c conda-forge pocl, the system's package pocl-opencl-icd, or the driver of a GPU"
)
_CLASSES = {
    "OUT_OF_MEMORY": OutOfMemoryError,
    "DEVICE_MEMORY": OutOfMemoryError,
    "IO": FileError,
    "FORMAT": FileError,
    "NO_PLATFORM": NoDeviceError,
    "NO_DEVICE": NoDeviceError,
    "KERNEL_SOURCE": DeviceError,
    "BUILD": DeviceError,
    "OPENCL": DeviceError,
    "INTERNAL": DeviceError,
    "PART": PartDone,
}

_raised = threading.local()  # what a callback of this thread raised


def needs(module, install):
    """Imports what not every user has; the error says what to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}: pip install {install}", name=error.name) from None


def text(pointer):
    """A C string as str; None for NULL."""
    return None if pointer == NULL else ffi.string(pointer).decode(errors="replace")


def _has_device():
    found = handle("ww_device_list")
    return lib.ww_device_list_create(found) == lib.WW_OK and lib.ww_device_list_count(found[0]) > 0


def check(status):
    """Raises what a status other than WW_OK stands for, or what a callback raised."""
    raised, _raised.error = getattr(_raised, "error", None), None
    if raised is not None:
        raise raised
    if status == lib.WW_OK:
        return
    if status == lib.WW_ERROR_CANCELLED:
        raise KeyboardInterrupt
    record = lib.ww_last_error()
    name = text(lib.ww_status_name(status))
    message, hint = text(record.message), text(record.hint)
    kind = _CLASSES.get(name[len("WW_ERROR_") :], InvalidError)
    parts = [message, hint]
    if kind is NoDeviceError and not _has_device():
        parts.append(INSTALL)
    if status == lib.WW_ERROR_BUILD:
        parts.append(text(lib.ww_last_build_log()))
    error = kind(". ".join(part.rstrip(".") for part in parts if part) or name)
    error.status = name
    for field in ("series", "position", "channel"):
        value = getattr(record, field)
        setattr(error, field, None if value < 0 else value)
    raise error


# ---- threads


def lock_of(owner):
    """The lock of an object that the library lets one thread use at a time."""
    return owner.__dict__.get("_lock") or owner.__dict__.setdefault("_lock", threading.RLock())


_Method = TypeVar("_Method", bound=Callable[..., Any])


def alone(method: _Method) -> _Method:
    """A method during which other threads wait that call such a one of the same object."""

    @functools.wraps(method)
    def locked(self, *args, **options):
        with lock_of(self):
            return method(self, *args, **options)

    return cast(_Method, locked)


# ---- structs

# By weak references, whose callback is no Python code: an interrupt would be raised, and lost, in that.
_kept: Any = {}


def new(kind, /, **fields):
    """A struct with its defaults and these fields. What a field points to lives as long as the struct."""
    struct = ffi.new(kind + " *")
    check(lib.ww_struct_init(kind.encode(), struct, ffi.sizeof(kind)))
    assign(struct, fields)
    _kept[weakref.ref(struct, _kept.pop)] = list(fields.values())
    return struct


def assign(struct, fields):
    """Gives a struct values by the names of its fields; None: what it has."""
    for name, value in fields.items():
        if value is None:
            continue
        try:
            setattr(struct, name, value)
        except AttributeError:
            known = ", ".join(field for field, _ in ffi.typeof(struct).item.fields if field != "struct_size")
            raise TypeError(f"no option {name!r}; there are {known}") from None
        except OverflowError:
            raise ValueError(f"{name} is {value}, which is out of range") from None


def number(name, value):
    """An integer that is not negative, and fits 64 bits, as the library takes sizes and indices."""
    made = operator.index(value)
    if not 0 <= made < 1 << 63:
        raise ValueError(f"{name} is {value}, which is out of range")
    return made


def keep(struct, *values):
    """Lets values live as long as a struct; returns the struct."""
    found = _kept.get(weakref.ref(struct))
    if found is None:
        found = _kept[weakref.ref(struct, _kept.pop)] = []
    found.extend(values)
    return struct


def _words(kind):
    """The kind of words of an enum; None: it has none."""
    return getattr(lib, kind.upper().replace("WW_", "WW_WORD_", 1), None)


def word_of(kind, value):
    """The name in the library of an enum's value: "ward" of ww_linkage."""
    return text(lib.ww_word(_words(kind), value))


def _value(kind, value):
    if kind.kind == "enum":
        name = kind.cname.replace("enum ", "")
        if name == "ww_status":
            return text(lib.ww_status_name(value))
        return kind.elements[value].rsplit("_", 1)[-1].lower() if _words(name) is None else word_of(name, value)
    if kind.kind == "array" and kind.item.cname == "char":
        return text(value)
    if kind.kind == "pointer" and kind.item.cname in ("char", "char const"):
        return text(value)
    return value


def info(struct):
    """What a struct says: numbers, texts and names; not what it points to otherwise."""
    fields = {
        name: _value(field.type, getattr(struct, name))
        for name, field in ffi.typeof(struct).item.fields
        if name != "struct_size" and (field.type.kind != "pointer" or field.type.item.cname in ("char", "char const"))
    }
    return types.SimpleNamespace(**fields)


def by_name(kind, name):
    """The value of an enum that has names in the library: "ward" for ww_linkage."""
    value = ffi.new("unsigned *")
    check(lib.ww_word_parse(_words(kind), str(name).encode(), value))
    return value[0]


def word(kind, name):
    """The value of an enum without names in the library, by the end of its constant's name, as "buckets"."""
    values = {label.rsplit("_", 1)[-1].lower(): value for value, label in ffi.typeof(kind).elements.items()}
    if name not in values:
        raise ValueError(f"{name!r} is none of {', '.join(values)}")
    return values[name]


def handle(kind):
    """Where a function stores an object that it makes; destroyed with the last reference."""
    return ffi.gc(ffi.new(kind + " **"), getattr(lib, kind + "_destroy"))


# ---- callbacks


def _remember(_kind, value, _trace):
    _raised.error = value


def callback(**options):
    """A Python function for one of the C callback types. What it raises ends the job, and is raised by check()."""
    return ffi.def_extern(onerror=_remember, **options)


@callback(error=1)
def py_progress_fn(user, done, total):
    ffi.from_handle(user)(done, total)
    return 0


@callback(error=1)
def py_interrupt_fn(user):
    return 0  # Python has looked for signals before: what their handlers raise ends the call


def look_for_signals():
    """Lets long calls of the main thread, where Python handles signals, be ended by an interrupt."""
    if threading.current_thread() is threading.main_thread():
        lib.ww_thread_set_interrupt(lib.py_interrupt_fn, NULL)


look_for_signals()


@callback(error=1)
def py_write_fn(user, data, count):
    ffi.from_handle(user).write(ffi.buffer(data, count))
    return 0


def written(write, thing) -> bytes:
    """The bytes that a function of the library writes of one of its objects."""
    target = io.BytesIO()
    user = ffi.new_handle(target)
    check(write(thing, lib.py_write_fn, user))
    return target.getvalue()


@callback(error=-1)
def py_read_fn(user, data, room):
    part = ffi.from_handle(user).read(room)
    ffi.memmove(data, part, len(part))
    return len(part)


class _Bar:
    """tqdm's bar of one job: made by its first report, gone with its last. Numbers are in the job's own unit, as cells."""

    def __init__(self):
        self._make, self._begun, self._report = needs("tqdm.auto", "tqdm").tqdm, time.time(), None

    def __call__(self, done, total):
        if self._report is None:
            self._bar = self._make(total=total, leave=False, unit="", unit_scale=True)
            self._report = _on_bar(self._bar, self._begun)
        self._report(done, total)
        if done >= total:
            self._bar.close()
            self._report, self._begun = None, time.time()


def _on_bar(bar, begun):
    """A function of done and total that shows them on a bar of tqdm's kind; begun: when the work did."""

    fresh = True

    def report(done, total):
        nonlocal fresh
        if fresh or bar.total != total or done < bar.n:  # a notebook's bar takes a total by reset() alone
            if hasattr(bar, "reset"):
                bar.reset(total)
                bar.start_t = bar.last_print_t = begun  # else the first step takes no time
            else:
                bar.total = total
        fresh = False
        bar.update(done - bar.n)

    return report


def reporter(progress):
    """A function of done and total from what a caller gives as progress=."""
    if progress is True:
        return _Bar()
    if progress is None or progress is False:
        return None
    if not hasattr(progress, "update"):
        if not callable(progress):
            raise TypeError(f"progress is True, a bar with update(), or a function of (done, total), not {progress!r}")
        return progress
    return _on_bar(progress, time.time())


def run(progress=None, max_bytes=0, launch_seconds=0.0):
    """Options of a run."""
    look_for_signals()  # where another thread has imported this module
    if max_bytes < 0:
        raise ValueError(f"max_bytes is {max_bytes}; it must be above 0, or 0 for as many as fit")
    report = reporter(progress)
    user = NULL if report is None else ffi.new_handle(report)
    return new(
        "ww_run_options",
        max_bytes=int(max_bytes),
        launch_seconds=float(launch_seconds),
        progress=None if report is None else lib.py_progress_fn,
        progress_user=user,
    )


def plan_options(engine="auto", no_bounds=False, **limits):
    """ww_plan_options from names."""
    return new("ww_plan_options", engine=by_name("ww_engine", engine), no_bounds=bool(no_bounds), run=run(**limits))
