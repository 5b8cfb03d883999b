# SPDX-License-Identifier: Apache-2.0
"""OpenCL drivers that came as wheels: they lie beside Python, where no loader looks by itself."""

from __future__ import annotations

import ctypes
import glob
import os
import sys

SYSTEM = "/etc/OpenCL/vendors"


def named(prefix: str) -> list:
    """The drivers that the .icd files below a prefix name. Intel's wheels name a folder of the machine that built them:
    the driver is in the prefix's lib. Devices that are emulated are left out."""
    found = []
    for name in sorted(glob.glob(os.path.join(prefix, "etc", "OpenCL", "vendors", "*.icd"))):
        with open(name, encoding="utf-8") as file:
            path = file.readline().strip()
        if os.path.isabs(path) and not os.path.exists(path):
            path = os.path.join(prefix, "lib", os.path.basename(path))
        if os.path.isabs(path) and os.path.exists(path) and "_emu." not in path:
            found.append(path)
    return found


def load(path: str, tried: set) -> None:
    """Loads a driver with the libraries beside it, which the system's search does not find."""
    tried.add(path)
    while True:
        try:
            ctypes.CDLL(path)
            return
        except OSError as error:
            beside = os.path.join(os.path.dirname(path), str(error).split(":", 1)[0])
        if beside in tried or not os.path.exists(beside):
            return
        load(beside, tried)


def find(prefix: str = sys.prefix) -> list:
    """Makes drivers below a prefix known to the loader, unless the environment names others."""
    if prefix in ("/", "/usr") or {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"} & set(os.environ):
        return []
    drivers = named(prefix)
    for path in drivers:
        load(path, set())
    if drivers:
        # Khronos's loader adds these to the system's; ocl-icd takes one alone, so only where the system has none.
        os.environ["OCL_ICD_FILENAMES"] = ":".join(drivers)
        if not glob.glob(os.path.join(SYSTEM, "*.icd")):
            os.environ["OCL_ICD_VENDORS"] = drivers[0]
    return drivers


found = find()
