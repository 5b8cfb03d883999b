# SPDX-License-Identifier: Apache-2.0
"""The type hints agree with each other and with the code."""

import pathlib

import pytest

import wavewarp


def test_mypy(tmp_path):
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    package = pathlib.Path(wavewarp.__file__).parent
    assert (package / "py.typed").exists()
    told, errors, failed = api.run(["--ignore-missing-imports", "--cache-dir", str(tmp_path), str(package)])
    assert not failed, told + errors
