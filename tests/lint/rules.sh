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
sources() { find include host src cli kernels_cl tests bench examples -type f \( -name '*.c' -o -name '*.h' -o -name '*.cl' \); }

# The files that we write under the given folders. Data is left out.
texts() {
    find "$@" -type f \( -name '*.[ch]' -o -name '*.cl' -o -name '*.sh' -o -name '*.py' -o -name meson.build \
        -o -name meson_options.txt -o -name '*.cmake.in' -o -name CMakeLists.txt -o -path 'tools/*' -o -path '.ci/*' \)
}

without_licence() {
    local file
    texts include host src cli kernels_cl tests bench examples tools .ci cmake meson.build meson_options.txt docs/meson.build |
        while IFS= read -r file; do
            head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
        done
}
opencl_outside() { grep -nE '\bcl[A-Z][A-Za-z]+\(' -r src cli include --include='*.c' --include='*.h'; }
speaking() {
    grep -nE '\b(printf|puts|putchar|perror|exit|abort|_Exit)\(|\bstd(out|err)\b' -r src host --include='*.c' --include='*.h' |
        # A file named "-" is standard output: there alone the library writes to it.
        grep -vE '^src/files/(output|write_series)\.c:|: *//|format\(printf'
}
private_headers() { grep -nE '#include *"(\.\./)*(host|src)/|#include *"(host|error|internal)\.h"' -r cli bench --include='*.c' --include='*.h'; }
plain_asm() { grep -nE '(^|[^_])\basm\b' -r kernels_cl --include='*.cl' | grep -vE '^[^:]+:[0-9]+: *//'; }
relaxed() { grep -n 'cl-fast-relaxed-math' -r host src kernels_cl; }
# A list of 2^31 pairs has more words than 32 bits count.
short_indices() { grep -nE 'order\[(3 \* [a-z]|[a-z]+ \* order_stride)|\? 3 \* t' -r kernels_cl --include='*.cl'; }
left_for_later() { sources | xargs grep -nwE 'TO''DO|FIX''ME|X''XX'; }
# A subject has one name in all rooms: its public header and its example may be called as its source is.
same_names() { sources | grep -vE '^(include|examples)/' | sed 's|.*/||' | sort | uniq -d; }
echo "TAP version 13"
rule "every file names its licence" < <(without_licence)
rule "OpenCL is called in host/ alone" < <(opencl_outside)
rule "the library does not print, exit or abort" < <(speaking)
rule "the program and the bench use the public headers alone" < <(private_headers)
rule "kernels write __asm__, never asm" < <(plain_asm)
rule "kernels index lists of pairs in 64 bits" < <(short_indices)
rule "no relaxed arithmetic" < <(relaxed)
rule "nothing is left for later" < <(left_for_later)
rule "file names are unique" < <(same_names)
echo "1..$count"
exit "$failed"
