# SPDX-License-Identifier: Apache-2.0
"""Devices, and the context in which everything is computed."""

from __future__ import annotations

import os
import threading
from types import SimpleNamespace
from typing import Optional

from . import _drivers  # noqa: F401  before the loader looks for drivers
from ._core import NULL, Progress, callback, check, ffi, handle, info, lib, new, number, run, text

_lock = threading.Lock()


def devices() -> list:
    """What the OpenCL loader finds.

    Returns
    -------
    list of Record
        index, name, vendor, platform, type, usable, chosen, why and so on, of each.

    Raises
    ------
    NoDeviceError
        There is no OpenCL driver; the text says what to install.

    Examples
    --------
    >>> sum(device.chosen for device in ww.devices())
    1
    """
    found = handle("ww_device_list")
    with _lock:
        check(lib.ww_device_list_create(found))
    result = []
    for i in range(lib.ww_device_list_count(found[0])):
        device = new("ww_device_info")
        check(lib.ww_device_list_get_info(found[0], i, device))
        result.append(info(device))
    return result


@callback()
def py_log_fn(user, level, message):
    ffi.from_handle(user)(level, text(message))


@callback(error=1)
def py_tune_fn(user, result):
    ffi.from_handle(user)(info(result))
    return 0


def context_options(device, log, kernel_dir, tuning_file, tile_seconds=0.0, threads=0, store=None):
    """ww_context_options, and what has to live as long as the context."""

    def encoded(value):
        return None if value is None else ffi.new("char[]", os.fsencode(str(value)))

    user = NULL if log is None else ffi.new_handle(log)
    options = new(
        "ww_context_options",
        device=encoded(device),
        kernel_dir=encoded(kernel_dir),
        tuning_file=encoded(tuning_file),
        log=None if log is None else lib.py_log_fn,
        log_user=user,
        tile_seconds=float(tile_seconds),
        threads=threads,
        store=store,
    )
    return options, user


class Context:
    """A device opened for work, or several that divide each job. Any number of threads may use it.

    What is made in a context of several devices (Dataset, Points, LSH, plans, Search, ProfilePlan) is on each of them, and
    their runs are divided; devices of one kind give the bytes that one of them gives. One that fails leaves its part to
    the others: `shares` says why. What is not divided (sums of gradients over pairs, averages, a Buffer, a Monitor) is
    the first device's. A context does not work on in a child made by fork: use the start method "spawn".

    Parameters
    ----------
    device : str, int or list, optional
        None (``$WAVEWARP_DEVICE``, else the best), "gpu", "cpu", an index, a part of a name, or "cuda" ("cuda:1"): that
        device through CUDA. Several devices: "all" (every usable one), "gpus", or a list of devices, separated by commas
        or in Python ("0,2", [0, 2]).
    threads : int, optional
        Processors of a CPU to use, so that several processes share it; None: all. Only CPUs take it.
    log : callable, optional
        Called as log(level, text); 0 error, 1 warning, 2 information, 3 detail. With several devices also by their threads.
    kernel_dir, tuning_file : str, optional
        Other places for kernels and tuning parameters than the usual ones.
    tile_seconds : float
        With several devices: seconds that a part of a job should take; 0: 0.5.
    store : Store, optional
        Keeps what jobs compute and gives what it has; Store.context() passes it.

    Raises
    ------
    NoDeviceError
        No device, or none of that name: the text lists those there are.
    DeviceError
        A kernel_dir without kernels.
    FileError
        A tuning_file that is named and can't be read, or is damaged.
    ValueError
        threads below 1, or of a device that is no CPU; a device named twice; tile_seconds out of range; a store that is closed.

    Examples
    --------
    >>> with_default = ww.cdist([[0.0, 1.0], [1.0, 1.0]])
    >>> ww.cdist([[0.0, 1.0], [1.0, 1.0]], context=ww.Context()).tolist() == with_default.tolist()
    True
    """

    def __init__(
        self,
        device=None,
        *,
        threads: Optional[int] = None,
        log=None,
        kernel_dir=None,
        tuning_file=None,
        tile_seconds: float = 0.0,
        store=None,
    ) -> None:
        if threads is not None and number("threads", threads) < 1:
            raise ValueError(f"threads is {threads}; at least one is needed")
        if isinstance(device, (list, tuple)):
            device = ",".join(str(one) for one in device)
        if store is not None and store._handle[0] == NULL:
            raise ValueError("the store is closed")
        self._store = store  # lives as long as the context
        kept = None if store is None else store._handle[0]
        options, self._log = context_options(device, log, kernel_dir, tuning_file, tile_seconds, threads or 0, kept)
        self._handle = handle("ww_context")
        with _lock:  # PoCL's first enumeration is not made for several threads at once
            check(lib.ww_context_create(options, self._handle))
        self.has_double = any(device.has_double for device in self.devices)

    @classmethod
    def _of_cuda(cls, device, stream) -> Context:
        """A context on a stream of CUDA, given as its address."""
        made = cls.__new__(cls)
        made._handle, made._log = handle("ww_context"), None
        with _lock:
            check(lib.ww_context_create_cuda(device, ffi.cast("void *", stream), NULL, made._handle))
        made.has_double = bool(made.device.has_double)
        return made

    @property
    def _c(self):
        return self._handle[0]

    @property
    def device(self) -> SimpleNamespace:
        """A record of the device, of several the first, as devices() has them."""
        return self.devices[0]

    @property
    def devices(self) -> list:
        """Records of all devices."""
        result = []
        for i in range(len(self)):
            device = new("ww_device_info")
            check(lib.ww_context_get_device_info(lib.ww_context_device(self._c, i), device))
            result.append(info(device))
        return result

    def __len__(self) -> int:
        return lib.ww_context_device_count(self._c)

    @property
    def shares(self) -> list:
        """What each of several devices did in the last job: records of tiles, work, seconds, lost, status, message."""
        records = [new("ww_device_share") for _ in range(len(self))]
        for i, record in enumerate(records):
            check(lib.ww_context_get_share(self._c, i, record))
        return [info(record) for record in records]

    @property
    def kernel_source(self) -> str:
        """Where the kernels come from: a folder, or "built in"."""
        return text(lib.ww_context_kernel_source(self._c))

    @property
    def bytes(self) -> int:
        """Device memory that this context's objects hold now."""
        return lib.ww_context_bytes(self._c)

    @property
    def programs(self) -> int:
        """Programs compiled or loaded so far."""
        return lib.ww_context_programs(self._c)

    @property
    def tuning_file(self) -> str:
        """The file that tune() writes."""
        return text(lib.ww_tuning_file(self._c))

    def self_test(self) -> None:
        """Computes distances with known answers in every engine. Takes about a second, more where kernels are compiled.

        Raises
        ------
        DeviceError
            With what differs.

        Examples
        --------
        >>> ww.default_context().self_test()
        """
        check(lib.ww_context_self_test(self._c))

    def tune(self, *, seconds: float = 0.0, dry: bool = False, report=None, progress: Progress = None) -> list:
        """Finds the fastest parameters of the kernels and writes them to tuning_file. Nobody else may use the context
        meanwhile.

        Parameters
        ----------
        seconds : float
            For each candidate; 0: 0.2.
        dry : bool
            Writes nothing.
        report : callable, optional
            Called with the record of each candidate.
        progress
            What every job takes: ``help(wavewarp)`` has it.

        Returns
        -------
        list
            The records of all candidates.

        Raises
        ------
        FileError
            tuning_file can't be written. What `report` raises ends the work and is raised.

        Examples
        --------
        >>> records = ww.Context().tune(dry=True)  # doctest: +SKIP
        """
        results = []

        def receive(result):
            results.append(result)
            if report:
                report(result)

        user = ffi.new_handle(receive)
        options = new(
            "ww_tune_options", seconds=seconds, dry=dry, report=lib.py_tune_fn, report_user=user, run=run(progress)
        )
        check(lib.ww_tune(self._c, options))
        return results

    def __repr__(self):
        told = [f"{device.name!r}, {device.compute_units} compute units" for device in self.devices]
        return f"<wavewarp.Context {'; '.join(told)}>"


_default = None
_default_lock = threading.Lock()


def default_context() -> Context:
    """The context that is used where none is given. It is made when it is first needed.

    Returns
    -------
    Context

    Raises
    ------
    NoDeviceError
        No device, or none that ``$WAVEWARP_DEVICE`` names; the text says what to install.

    Examples
    --------
    >>> ww.default_context() is ww.default_context()
    True
    """
    global _default
    with _default_lock:
        if _default is None:
            _default = Context()
        return _default


def _after_fork():
    # Locks may have been held by threads that do not exist in the child. The library refuses work there itself.
    global _lock, _default_lock
    _lock, _default_lock = threading.Lock(), threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def tuning_parameters() -> list:
    """What a tuning file may set.

    Returns
    -------
    list of Record
        name, least, most, standard, meaning and tuned, of each.

    Examples
    --------
    >>> all(p.meaning for p in ww.tuning_parameters())
    True
    """
    result = []
    for i in range(lib.ww_tune_parameter_count()):
        parameter = new("ww_tune_parameter")
        check(lib.ww_tune_get_parameter(i, parameter))
        result.append(info(parameter))
    return result
