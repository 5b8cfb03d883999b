# SPDX-License-Identifier: Apache-2.0
"""Every function of the public headers is wrapped, or left out for a reason that stands here."""

import pathlib
import re

import pytest

import wavewarp

LEFT_OUT = {
    "api_version": "the module holds the library it was compiled for",
    "free": "no function that is wrapped returns memory to be freed by it",
    "file_.*|point_view_put|unfinished_files_.*": "Python writes files of its own",
    "context_wrap|context_get_opencl|dataset_wrap|buffer_wrap|buffer_opencl": "OpenCL objects of the caller, from wavewarp/opencl.h",
    "plan_run_blocks|plan_run_condensed_blocks": "Plan.rectangle() gives parts, in any order",
    "matrix|costs": "a plan takes progress and limits",
    "classify|profile_find|profile_find_motifs|knn_find": "made of the calls that are wrapped, without progress and limits",
    "lsh_run": "ww_lsh_run_rows() of all rows",
    "plan_create_nearest": "ww_nearest() decides ties of float too; a shard without offsets is the same plan",
    "measure_init|measure_set|measure_set_text|measure_info_by_name": "ww_measure_parse() does it",
    "shapelets_write": "to_json() adds the kind of the labels, and save() writes that",
    "(topk|knn)_get_info": "their objects are not kept",
}


def test_every_function():
    root = pathlib.Path(__file__).resolve().parents[2]
    headers = sorted((root / "include" / "wavewarp").glob("*.h"))
    if not headers:
        pytest.skip("no headers beside these tests")
    text = "".join(re.sub(r"//.*|#define.*(?:\\\n.*)*", "", header.read_text()) for header in headers)
    functions = set(re.findall(r"^WW_API(?:_STATUS)?\b[^;(]*?\bww_(\w+)\s*\(", text, re.MULTILINE))
    assert len(functions) > 250
    package = pathlib.Path(wavewarp.__file__).parent
    sources = "".join(path.read_text() for path in package.glob("*.py"))
    wrapped = set(re.findall(r"lib\.ww_(\w+)", sources))
    for kind in re.findall(r'handle\("ww_(\w+)"\)', sources):
        wrapped.add(kind + "_destroy")
    reasons = [pattern for pattern in LEFT_OUT]
    missing = {f for f in functions - wrapped if not any(re.fullmatch(pattern, f) for pattern in reasons)}
    assert not missing
    idle = [p for p in reasons if not any(re.fullmatch(p, f) for f in functions - wrapped)]
    assert not idle, "reasons for functions that are wrapped or gone"
    assert not wrapped - functions
