# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/notebooks run, and their cells give the texts that they show."""

import importlib.util
import json
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.fixture(scope="module")
def runner():
    spec = importlib.util.spec_from_file_location("run_notebooks", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not NOTEBOOKS, reason="no notebooks beside these tests")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, runner):
    if importlib.util.find_spec("matplotlib"):
        pytest.importorskip("matplotlib").use("svg")
    assert runner.run(path, False) == []


@pytest.mark.skipif(not NOTEBOOKS, reason="no notebooks beside these tests")
def test_another_text_is_found(runner, tmp_path):
    book = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))
    outputs = [{"name": "stdout", "output_type": "stream", "text": ["2\n"]}]
    book["cells"] = [{"cell_type": "code", "metadata": {}, "outputs": outputs, "source": ["print(1)"]}]
    path = tmp_path / "wrong.ipynb"
    path.write_text(json.dumps(book), encoding="utf-8")
    (message,) = runner.run(path, False)
    assert message.startswith("wrong.ipynb, cell 0: ")
