#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whether what was built has the protection that -Dhardening=true gives: hardening.sh fortified|plain FILE...
set -u
kind=$1
shift
count=0
if ! command -v readelf >/dev/null; then
    echo "1..0 # SKIP there is no readelf"
    exit 0
fi
point() { # WHAT, then a command
    local what=$1
    shift
    count=$((count + 1))
    if "$@"; then echo "ok $count - $what"; else echo "not ok $count - $what"; fi
}
has_dynamic() { readelf -dW "$1" | grep -qE "$2"; }
has_header() { readelf -lW "$1" | grep -q "$2"; }
has_symbol() { readelf -sW --dyn-syms "$1" | grep -qE "$2"; }
for file; do
    name=$(basename "$file")
    point "$name: functions check their stack" has_symbol "$file" ' __stack_chk_fail'
    point "$name: tables of addresses are read-only" has_header "$file" GNU_RELRO
    point "$name: all addresses are bound at the start" has_dynamic "$file" 'BIND_NOW|FLAGS_1.*NOW'
    [ "$kind" = plain ] || point "$name: calls of the C library are checked" has_symbol "$file" ' __[a-z]+_chk(@| |$)'
done
echo "1..$count"
