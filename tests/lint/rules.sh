#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The house's rules that a search can check. Prints TAP, one point a rule; each names the lines that break it.
set -u
cd "$(dirname "$0")/../.." || exit 1

count=0
failed=0
rule() { # rule TEXT: holds when standard input is empty
    local found
    found=$(cat)
    count=$((count + 1))
    if [ -z "$found" ]; then
        echo "ok $count - $1"
    else
        failed=1
        echo "not ok $count - $1"
        printf '%s\n' "$found" | head -n 20 | sed 's/^/# /'
    fi
}
sources() { find include host src cli kernels_cl tests bench examples -name '*.c' -o -name '*.h' -o -name '*.cl'; }

echo "TAP version 13"
{
    sources
    find tools tests .ci cmake -type f \( -name '*.sh' -o -name '*.py' -o -name meson.build -o -name '*.in' -o -path '.ci/*' \)
    find . -maxdepth 2 -name meson.build -not -path './build*'
} | sort -u | while IFS= read -r file; do
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
done | rule "every file names its licence"

grep -nE '\bcl[A-Z][A-Za-z]+\(' -r src cli include --include='*.c' --include='*.h' |
    rule "OpenCL is called in host/ alone"

grep -nE '\b(printf|fprintf|puts|perror|exit|abort|_Exit)\(' -r src host --include='*.c' |
    grep -vE 'snprintf|vfprintf\(file|fprintf\((file|out|stream|f|[a-z]*->[a-z]+|writer->file),' |
    rule "the library does not print, exit or abort"

grep -nE '#include *[<"](host|error|internal)\.h' -r cli --include='*.c' --include='*.h' |
    rule "the program uses the public headers alone"

grep -nE '\basm\b' -r kernels_cl --include='*.cl' | grep -v '__asm__' | grep -vE '^[^:]+:[0-9]+: *//' |
    rule "kernels write __asm__, never asm"

grep -nE 'cl-fast-relaxed-math' -r host src kernels_cl --include='*.c' --include='*.cl' --include='*.txt' |
    rule "no relaxed arithmetic"

sources | xargs grep -nE 'TO''DO|FIX''ME|X''XX' | rule "nothing is left for later"

find include host src cli kernels_cl bench examples -type f \( -name '*.c' -o -name '*.h' -o -name '*.cl' \) |
    sed 's|.*/||' | sort | uniq -d | grep -vE '^(dtw|frechet)\.(c|cl|h)$' | rule "file names are unique"

echo "1..$count"
exit "$failed"
