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
trap 'rm -f "$out" "$err" "$tuning"' EXIT
# It crashes on the vectors of engine strips; the texts for GPUs are those with barriers to check anyway.
printf 'default strips.vector 0\ndefault bits.vector 0\n' >"$tuning"
export WAVEWARP_TUNING=$tuning WAVEWARP_TEST_OCLGRIND=1
unset WAVEWARP_DEVICE
OCL_ICD_VENDORS=$icd OCLGRIND_DATA_RACES=1 OCLGRIND_UNINITIALIZED=1 WAVEWARP_TEST_REQUIRE_DEVICE=1 \
    "$program" >"$out" 2>"$err"
status=$?

point() { # point NUMBER TEXT FILE-OF-COMPLAINTS
    if [ -s "$3" ]; then
        echo "not ok $1 - $2"
        head -n 40 "$3" | sed 's/^/# /'
    else
        echo "ok $1 - $2"
    fi
}
complaints=$(mktemp)
trap 'rm -f "$out" "$err" "$tuning" "$complaints"' EXIT

echo "TAP version 13"
grep -E '^(not ok|Bail out!)' "$out" >"$complaints"
[ "$status" -eq 0 ] || echo "exit status $status" >>"$complaints"
grep -q '^1\.\.[1-9]' "$out" || echo "no test ran" >>"$complaints"
point 1 "results on Oclgrind" "$complaints"
grep -iE 'invalid (read|write)|race|uninitiali[sz]ed|divergence|out of bounds|oclgrind.*error|^error' -A 8 "$err" >"$complaints"
point 2 "no race, no bound broken, nothing read before it is written" "$complaints"
echo "1..2"
