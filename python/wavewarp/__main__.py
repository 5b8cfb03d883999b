# SPDX-License-Identifier: Apache-2.0
"""python -m wavewarp: the program."""

import os
import shutil
import sys
from importlib import metadata

from ._drivers import found


def program():
    """The program that was installed with this package, else the one in the path."""
    try:
        files = metadata.files("wavewarp") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "wavewarp" and file.parent.name == "bin" and file.locate().exists():
            return str(file.locate())
    return shutil.which("wavewarp")


def main():
    path = program()
    if path is None:
        sys.exit("wavewarp: the program is not installed with this package: pip install it, or have wavewarp in PATH")
    folders = [os.path.dirname(driver) for driver in found]  # with the libraries that the drivers need
    if folders:
        os.environ["LD_LIBRARY_PATH"] = ":".join([*folders, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
