#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs fuzz targets that are built:   run.sh PROGRAMS SECONDS|EXECUTIONSx CORPUS FOUND [TARGET...]
# PROGRAMS is the folder of fuzz_TARGET; new inputs go to CORPUS/TARGET, those that fail, and the logs, to FOUND.
# 20000x: as many executions, whatever the time, and the same ones where WAVEWARP_TEST_ROTATION and CORPUS are the same.
# JOBS=N at a time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "$1" && pwd)
limit=$2
mkdir -p "$3" "$4"
corpus=$(cd "$3" && pwd)
found=$(cd "$4" && pwd)
shift 4
targets=("$@")
# Other drivers lose memory of their own when the loader closes them, as Mesa's does.
pocl=/etc/OpenCL/vendors/pocl.icd
[ -e $pocl ] && export OCL_ICD_VENDORS=$pocl
if [ "$#" -eq 0 ]; then
    for folder in "$here"/corpus/*/; do
        [ -x "$programs/fuzz_$(basename "$folder")" ] && targets+=("$(basename "$folder")")
    done
fi

run_one() {
    local target=$1 words=$1 options=() end=()
    case $target in
    arff | csv | long | npy | packed | points | series | text | times | ts | tsv) words=series ;;
    esac
    [ -f "$here/words/$words.dict" ] && options+=("-dict=$here/words/$words.dict")
    mkdir -p "$corpus/$target"
    # No input here is large: an allocation that is would be of a number that nobody checked. After an input that fails
    # the rest of the time is used too, unless it fails at once.
    local executions=0 failures=0 begin=$SECONDS left=${limit%x} once
    # Each input of ours whole: below, those that are longer are cut.
    "$programs/fuzz_$target" "$here/corpus/$target"/* >"$found/$target.log" 2>&1 ||
        { failures=1 && cp "$found/$target.log" "$found/$target-1.log"; }
    while [ "$left" -gt 0 ] && [ "$failures" -lt 5 ]; do
        case $limit in
        *x) end=(-runs="$left" -seed="$((${WAVEWARP_TEST_ROTATION:-0} % 2147483646 + 1))") ;;
        *) end=(-max_total_time="$left") ;;
        esac
        "$programs/fuzz_$target" "${end[@]}" -max_len=1024 -timeout=600 -malloc_limit_mb=256 \
            -print_final_stats=1 -artifact_prefix="$found/$target-" "${options[@]}" "$corpus/$target" \
            "$here/corpus/$target" >"$found/$target.log" 2>&1 ||
            { failures=$((failures + 1)); cp "$found/$target.log" "$found/$target-$failures.log"; }
        once=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$target.log")
        executions=$((executions + ${once:-0}))
        case $limit in
        *x) left=0 ;;
        *) left=$((limit - SECONDS + begin)) ;;
        esac
    done
    echo "$target $executions $failures"
}
export -f run_one
export here programs limit corpus found
printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'run_one {}' >"$found/results-$$.txt"

total=0
failed=0
while read -r target executions failures; do
    printf '%-12s %14d executions, %d failures\n' "$target" "$executions" "$failures"
    [ "$failures" -eq 0 ] || tail -n 40 "$found/$target-$failures.log"
    total=$((total + executions))
    failed=$((failed + failures))
done < <(sort "$found/results-$$.txt")
printf '%-12s %14d executions, %d failures\n' all "$total" "$failed"
rm -f "$found/results-$$.txt"
[ "$failed" -eq 0 ]
