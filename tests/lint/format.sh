#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C file is as .clang-format (read by clang-format 14) wants it. Prints TAP. The sums of files that were so are kept
# under WAVEWARP_TEST_CACHE.
set -u
cd "$(dirname "$0")/../.." || exit 1

# Other versions break lines elsewhere: only this one's word counts.
tool=
for candidate in clang-format-14 clang-format; do
    if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
        tool=$candidate
        break
    fi
done
if [ -z "$tool" ]; then
    echo "1..0 # SKIP no clang-format 14"
    exit 0
fi

kept=${WAVEWARP_TEST_CACHE:+$WAVEWARP_TEST_CACHE/formatted}
known=$( ([ -n "$kept" ] && cat "$kept") 2>/dev/null)
rules=$("$tool" --version | cat - .clang-format)
count=0
failed=0
while IFS= read -r file; do
    count=$((count + 1))
    sum=$(printf '%s' "$rules" | cat - "$file" | sha256sum | cut -c1-64)
    if [[ $known == *"$sum"* ]]; then
        echo "ok $count - $file"
    elif log=$("$tool" --dry-run -Werror "$file" 2>&1); then
        echo "ok $count - $file"
        [ -z "$kept" ] || echo "$sum" >>"$kept"
    else
        failed=1
        echo "not ok $count - $file"
        printf '%s\n' "$log" | head -n 12 | sed 's/^/# /'
    fi
done < <(find include host src cli tests bench examples \( -name '*.c' -o -name '*.h' \) -print | sort)
echo "1..$count"
exit "$failed"
