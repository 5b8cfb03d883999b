#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a test program on Oclgrind's simulated device: oclgrind.sh PROGRAM. Its exit status never tells of a race or an
# access out of bounds, only its standard error does.
set -u
program=$1
icd=
for folder in /usr/lib/oclgrind /usr/local/lib/oclgrind /usr/lib64/oclgrind; do
    [ -e "$folder/liboclgrind-rt-icd.so" ] && icd=$folder/liboclgrind-rt-icd.so && break
done
if [ -z "$icd" ]; then
    echo "1..0 # SKIP Oclgrind is not installed"
    exit 0
fi

out=$(mktemp)
err=$(mktemp)
tuning=$(mktemp)
complaints=$(mktemp)
trap 'rm -f "$out" "$err" "$tuning" "$complaints"' EXIT
# It crashes on the vectors of engine strips; the texts for GPUs are those with barriers to check anyway.
printf 'default form.items 1\n' >"$tuning"
# A process a test: in one process it takes what an earlier test gave back for not written.
export WAVEWARP_TUNING=$tuning OCL_ICD_VENDORS=$icd OCLGRIND_DATA_RACES=1 WAVEWARP_TEST_REQUIRE_DEVICE=1 CK_FORK=yes
unset WAVEWARP_DEVICE

point() { # point NUMBER TEXT FILE-OF-COMPLAINTS
    if [ -s "$3" ]; then
        echo "not ok $1 - $2"
        head -n 40 "$3" | sed 's/^/# /'
    else
        echo "ok $1 - $2"
    fi
}

number=0
# Both runs look for races and accesses out of bounds. The first has the tests that can't have the other check.
run() { # run WHAT-ELSE VARIABLE...: the tests for it, with these set
    echo "# $1"
    env WAVEWARP_TEST_OCLGRIND="$1" "${@:2}" "$program" >"$out" 2>"$err"
    local status=$?
    grep -E '^(not ok|Bail out!)' "$out" >"$complaints"
    [ "$status" -eq 0 ] || echo "exit status $status" >>"$complaints"
    grep -q '^1\.\.[1-9]' "$out" || echo "no test ran" >>"$complaints"
    point $((number += 1)) "results on Oclgrind, $1" "$complaints"
    grep -iE 'invalid (read|write)|race|uninitiali[sz]ed|divergence|out of bounds|oclgrind.*error|^error' -A 8 "$err" >"$complaints"
    point $((number += 1)) "nothing to complain of, $1" "$complaints"
}

echo "TAP version 13"
run "races, bounds"
run "uninitialized" OCLGRIND_UNINITIALIZED=1
echo "1..$number"
