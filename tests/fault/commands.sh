#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every command of the program with one thing failing in it: commands.sh PROGRAM-WITH-FAULT_LIBC. An OpenCL call, a
# launch on the device, an allocation, a file operation; or the device is lost. Each time it ends by itself: with the
# result of an undisturbed run, or with a message, the files as they were and no part of one.
#
# What fails is a sample, by default 2 of each kind (60 with WAVEWARP_TEST_EXHAUSTIVE=1); WAVEWARP_TEST_FAULTS=N takes
# others, WAVEWARP_TEST_FAULTS=all all. WAVEWARP_TEST_JOB=TEXT: only commands with this text.
set -u
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
sample=2
[ "${WAVEWARP_TEST_EXHAUSTIVE:-0}" = 1 ] && sample=60
sample=${WAVEWARP_TEST_FAULTS:-$sample}
seed=${WAVEWARP_TEST_SEED:-0}
export WAVEWARP_PROGRAM_CACHE=0 XDG_CONFIG_HOME="$folder/config" WAVEWARP_FAULT="none 0"
pocl=/etc/OpenCL/vendors/pocl.icd
[ -z "${WAVEWARP_DEVICE:-}" ] && [ -e $pocl ] && export OCL_ICD_VENDORS=$pocl

if ! "$program" devices --no-self-test >out 2>err; then
    if [ "${WAVEWARP_TEST_REQUIRE_DEVICE:-0}" = 1 ]; then
        echo "Bail out! no OpenCL device: $(cat err)"
        exit 1
    fi
    echo "1..0 # SKIP $(head -n 1 err)"
    exit 0
fi
WAVEWARP_FAULT_COUNTS=$folder/counts "$program" devices --no-self-test >out 2>err
if ! grep -q '^calls [1-9]' counts; then
    echo "1..0 # SKIP the OpenCL loader does not know layers"
    exit 0
fi

# ---- the files of all commands
mkdir given
(
    cd given || exit 1
    awk 'BEGIN { for (i = 0; i < 8; i++) { printf "%s", i % 2; for (t = 0; t < 20; t++) printf "\t%g", (i * 7 + t * t) % 11 + (i % 2 && t > 5 && t < 9 ? 9 : 0); print "" } }' >train.tsv
    awk 'BEGIN { for (i = 0; i < 6; i++) { printf "%s", i % 2; for (t = 0; t < 20; t++) printf "\t%g", (i * 5 + t * t) % 11 + (i % 2 && t > 5 && t < 9 ? 9 : 0); print "" } }' >test.tsv
    awk 'BEGIN { for (t = 0; t < 300; t++) printf "%s%g", t ? "," : "", (t * t) % 17; print "" }' >stream.csv
    awk 'BEGIN { for (t = 0; t < 12; t++) printf "%s%g", t ? "," : "", (t * t) % 17; print "" }' >query.csv
    awk 'BEGIN { for (i = 0; i < 150; i++) printf "%g,%g,%g\n", (i * i) % 13, (i * 7) % 17, i % 5 }' >points.csv
    "$program" shapelets fit train.tsv -o model.json --max-length 5 -k 2 >/dev/null 2>&1
    "$program" lsh points.csv -k 2 --save points.lsh >/dev/null 2>&1
    for name in result.csv result.npy result.json result.tsv result.lsh result.svg; do
        echo earlier >$name
    done
)

tap_count=0
complain() {
    echo "# $1: $(head -c 300 err | tr '\n' ' ')"
    good=false
}

# run NUMBER-OF-KIND...: the command in a copy of the files, with this in WAVEWARP_FAULT; its code is in `code`, what was
# counted in `counts`.
run() {
    rm -rf now counts
    cp -r given now
    (cd now && WAVEWARP_FAULT_COUNTS=$folder/counts exec timeout 3000 env WAVEWARP_FAULT="$1" "$program" "${arguments[@]}" \
        >../out 2>../err </dev/null)
    code=$?
    without_values
    ! grep '^objects' counts | grep -qv ' 0$' || complain "$1: OpenCL objects are left: $(grep '^objects' counts)"
}

# The files that it made or changed, without those a run may add for itself.
same_files() { diff -rq now "$1" >different 2>&1; }

# Which values are the fastest is another matter.
without_values() { [ ! -f now/tuning.txt ] || sed -i -E 's/ [0-9]+$/ N/' now/tuning.txt; }

# Tuning writes a parameter as soon as it is known: the first lines of the whole file.
is_begun() {
    [ -f now/tuning.txt ] && head -n "$(wc -l <now/tuning.txt)" whole/tuning.txt | cmp -s - now/tuning.txt &&
        rm now/tuning.txt && same_files given
}

# A checkpoint with something done stays: the whole comes of it.
is_kept() {
    [ -f now/past.store ] && (cd now && "$program" "${arguments[@]}" --resume >/dev/null 2>&1) && same_files whole
}

# What must hold after a run with `$1` failing.
check() {
    run "$1"
    [ "$code" -le 1 ] || complain "$1: exit code $code"
    compgen -G 'now/*.part-*' >/dev/null && complain "$1: a part of a file is left"
    if [ "$code" = 0 ]; then
        same_files whole || complain "$1: other files: $(head -n 1 different)"
        if $compares; then
            cmp -s out expected || complain "$1: other output"
        elif [ "${arguments[0]}" != devices ]; then # which reports what fails
            [ "$(wc -l <out)" = "$(wc -l <expected)" ] || complain "$1: other lines of output"
        fi
    else
        # Where it failed after its file got its name, the file is whole.
        same_files given || same_files whole || is_begun || is_kept || complain "$1: exit code 1, and other files: $(head -n 1 different)"
        # The self-test of a device is a result, not an error.
        grep -q . err || grep -q 'self-test.*failed' out || complain "$1: exit code $code without a word"
        grep -qi 'internal' err && complain "$1: an internal error"
    fi
}

# numbers COUNT: those of a sample of 1 to COUNT, spread over them.
numbers() {
    awk -v count="$1" -v sample="$sample" -v seed="$seed" 'BEGIN {
        n = sample == "all" || count < sample ? count : sample
        for (i = 0; i < n; i++) {
            from = int(i * count / n); to = int((i + 1) * count / n)
            print from + 1 + (to - from > 1 ? (seed * 7919 + i + count) % (to - from) : 0)
        }
    }'
}

# try ARGUMENT...: one test. `quiet try ...`: its standard output has times in it; its lines are counted, and the last
# allocations, for the report, all fail once.
compares=true
quiet() {
    compares=false
    "$@"
    compares=true
}
try() {
    [[ "$*" == *"${WAVEWARP_TEST_JOB:-}"* ]] || return 0
    arguments=("$@")
    good=true
    run "none 0"
    cp counts whole-counts
    [ "$code" = 0 ] || complain "it fails by itself, with $code"
    rm -rf whole
    mv now whole
    cp out expected
    local kind name count number last
    for kind in call launch allocation file lost; do
        $good || break
        case $kind in
        call | lost) name=calls ;;
        launch) name=launches ;;
        allocation) name=allocations ;;
        file) name=files ;;
        esac
        count=$(awk -v name=$name '$1 == name { n = $2 } END { print n + 0 }' whole-counts)
        last=
        [ $kind = allocation ] && ! $compares && last=$(seq $((count > 6 ? count - 5 : 1)) "$count")
        for number in $(numbers "$count") $last; do
            if [ $kind = call ]; then
                check "call $number $((number % 3 == 0 ? -5 : number % 3 == 1 ? -6 : -30))"
            else
                check "$kind $number"
            fi
        done
    done
    tap_count=$((tap_count + 1))
    $good && echo "ok $tap_count - $*" || echo "not ok $tap_count - $*"
}

quiet try classify --train train.tsv --test test.tsv --predictions result.csv
quiet try classify --train train.tsv --test test.tsv --method centroid
quiet try choose train.tsv test.tsv --try band=sakoe-chiba:0..2
try matrix train.tsv -o result.npy
try matrix train.tsv test.tsv -o result.npy --max-bytes 200
try matrix train.tsv --condensed -o result.npy
try pairs train.tsv train.tsv -m msm -o result.csv
try nearest test.tsv train.tsv -k 2
try gradient train.tsv train.tsv --soft 1 -o result.npy
try knn points.csv -k 3
try lsh points.csv -k 2 --save result.lsh
try lsh --load points.lsh points.csv -k 2
quiet try lsh points.csv -k 2 --recall 0.5
quiet try cluster train.tsv -k 2 -o result.csv
try search query.csv --in stream.csv -k 2
try search query.csv --in stream.csv -k 2 --kind windows --znorm
try path train.tsv train.tsv -o result.csv
quiet try average train.tsv -o result.npy --iterations 2
quiet try average train.tsv -M soft --soft 1 -o result.npy --iterations 2
try profile stream.csv --window 10 -o result.csv
quiet try shapelets fit train.tsv -o result.json --max-length 4 -k 1 --checkpoint past.store
quiet try shapelets predict model.json test.tsv
quiet try shapelets transform model.json test.tsv -o result.csv
quiet try devices
try measures dtw
try generate cbf --count 4 -o result.ts
try convert train.tsv result.npy
try tune --list
# It takes half a minute, so only the exhaustive run measures.
if [ "${WAVEWARP_TEST_EXHAUSTIVE:-0}" = 1 ]; then
    [ "$sample" = 60 ] && sample=4
    quiet try tune --tuning tuning.txt
fi
echo "1..$tap_count"
