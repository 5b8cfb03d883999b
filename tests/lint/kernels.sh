#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles every kernel combination without a device, as the drivers would: for NVIDIA (PTX, then ptxas), for AMD (GCN
# assembly), and a strict syntax check. Reads registers and spills from the compilers' own words. Prints TAP.
#
# The combinations stand in kernels_cl/combinations.txt, one a line ('#' starts a comment, blanks around ':' are needed):
#     name : file file ... : -Doption ... [: flag ...]
# Flags: nvidia (inline PTX: only NVIDIA's compiler reads it), sm80 (the same, for sm_80 and later), amd (its built-in functions), syntax (sub-groups: neither
# of the two has them here, so no more than a syntax check), spills (allowed to spill: not a default parameter set).
# A kernel of any other line must compile for all targets without a spill.
#
# Usage: kernels.sh [combinations.txt [name-pattern]]      KERNELS_JOBS: compilers at a time (default: all cores)
set -u
here=$(cd "$(dirname "$0")" && pwd)
list=${1:-$here/../../kernels_cl/combinations.txt}
pattern=${2:-.}
kernels=$(cd "$(dirname "$list")" && pwd)

amd_targets="gfx906 gfx90a gfx942 gfx1030 gfx1100"
nvidia_targets="sm_75 sm_80 sm_90 sm_100"
nvidia_features="-Xclang -target-cpu -Xclang sm_75 -Xclang -target-feature -Xclang +ptx64"
# A joined text has helpers and arguments that this variant does not use, and names extensions that a target lacks.
warnings="-Wall -Wextra -Werror -Wno-unused-function -Wno-unused-parameter -Wno-ignored-pragmas -Wno-linker-warnings -Wno-pass-failed"

# The newest clang that has libclc's bitcode beside it (both are named by version on Debian and Ubuntu).
find_compiler() {
    local version
    for version in 22 21 20 19 18 17 16 15 14; do
        command -v "clang-$version" >/dev/null && { echo "clang-$version"; return; }
    done
    command -v clang || true
}
clang=$(find_compiler)
ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null || true)

# The first libclc that this clang can read: it is compiled by one LLVM, which an older one does not understand.
library() { # library TARGET FILE
    local folder
    for folder in "$here/../../build/libclc/usr/lib/clc" /usr/lib/clc /usr/share/clc; do
        [ -r "$folder/$2" ] && echo 'kernel void k(global float *a) { a[0] = sqrt(a[1]); }' |
            "$clang" -x cl -cl-std=CL1.2 -target "$1" -Xclang -finclude-default-header -nogpulib -Wno-linker-warnings \
                -Xclang -mlink-builtin-bitcode -Xclang "$folder/$2" -S -o /dev/null - 2>/dev/null &&
            echo "$folder/$2" && return
    done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

trim() { sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//'; }

# join FILE...: the text the host hands to the driver, each file behind its own #line.
join() {
    local file
    for file in "$@"; do
        printf '#line 1 "%s"\n' "$file"
        cat "$kernels/$file" || return 1
        printf '\n'
    done
}

result() { # result ok|not_ok NAME [TEXT]: a TAP point without its number, the text as diagnostics when it failed
    if [ "$1" = ok ]; then
        echo "ok - $2"
    else
        echo "not ok - $2"
        [ -n "${3:-}" ] && printf '%s\n' "$3" | head -n 40 | sed 's/^/# /'
    fi
}

# ---- one combination on one kind of target; each prints its TAP points

check_syntax() { # NAME SOURCE OPTIONS...
    local name=$1 source=$2 log
    shift 2
    log=$("$clang" -x cl -cl-std=CL1.2 -target spir64-unknown-unknown -Xclang -finclude-default-header -fsyntax-only \
        $warnings "$@" "$source" 2>&1) && result ok "$name: syntax" || result not_ok "$name: syntax" "$log"
}

# add_group_sizes IR PTX: the PTX with each kernel's reqd_work_group_size as .reqntid. NVIDIA's own compiler writes it,
# clang does not, and without it ptxas does not know how many registers a work-item may have.
add_group_sizes() {
    awk 'NR == FNR {
            if ($0 ~ /^define / && match($0, /!reqd_work_group_size ![0-9]+/)) {
                node = substr($0, RSTART + 22, RLENGTH - 22)
                name = $0; sub(/^[^@]*@/, "", name); sub(/[(].*/, "", name)
                node_of[name] = node
            } else if ($0 ~ /^![0-9]+ = !{i32 [0-9]+, i32 [0-9]+, i32 [0-9]+}/) {
                node = $1; size = $0; sub(/^[^{]*{/, "", size); sub(/}.*/, "", size); gsub(/i32 /, "", size)
                size_of[node] = size
            }
            next
        }
        match($0, /[.]entry [A-Za-z0-9_$]+/) { kernel = substr($0, RSTART + 7, RLENGTH - 7) }
        { print }
        /^[)]/ && kernel != "" {
            if (kernel in node_of) print ".reqntid " size_of[node_of[kernel]]
            kernel = ""
        }' "$1" "$2"
}

check_nvidia() { # NAME SOURCE MAY_SPILL OPTIONS...
    local name=$1 source=$2 may_spill=$3 ptx=$2.ptx log target registers spilled
    shift 3
    if ! log=$("$clang" -x cl -cl-std=CL1.2 -O3 -target nvptx64-nvidia-nvcl $nvidia_features \
        -Xclang -finclude-default-header -Xclang -mlink-builtin-bitcode -Xclang "$nvidia_library" $warnings "$@" \
        -S -emit-llvm -o "$source.ll" "$source" 2>&1 &&
        "$clang" -x ir -O3 -target nvptx64-nvidia-nvcl $nvidia_features -Xclang -disable-llvm-passes -Wno-override-module \
            -S -o "$source.raw" "$source.ll" 2>&1 &&
        add_group_sizes "$source.ll" "$source.raw" >"$ptx"); then
        result not_ok "$name: nvidia" "$log"
        return
    fi
    if [ -z "$ptxas" ]; then
        result ok "$name: nvidia (PTX only)"
        return
    fi
    for target in $nvidia_targets; do
        if ! log=$("$ptxas" -arch="$target" -v -o /dev/null "$ptx" 2>&1); then
            # An older or newer toolkit lacks the card altogether: not the kernel's fault.
            case $log in
            *"not defined for option 'gpu-name'"*) echo "ok - $name: $target # SKIP this ptxas does not know it" ;;
            *) result not_ok "$name: $target" "$log" ;;
            esac
            continue
        fi
        registers=$(printf '%s\n' "$log" | sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' | sort -n | tail -n 1)
        spilled=$(printf '%s\n' "$log" | sed -n 's/.* \([0-9]*\) bytes spill stores, \([0-9]*\) bytes spill loads/\1 \2/p' |
            awk '{ sum += $1 + $2 } END { print sum + 0 }')
        if [ "$spilled" -gt 0 ] && [ "$may_spill" = no ]; then
            result not_ok "$name: $target: $registers registers, $spilled bytes spilled" "$log"
        else
            result ok "$name: $target: $registers registers, $spilled bytes spilled"
        fi
    done
}

check_amd() { # NAME SOURCE MAY_SPILL OPTIONS...
    local name=$1 source=$2 may_spill=$3 target assembly log registers spilled scratch
    shift 3
    for target in $amd_targets; do
        assembly=$source.$target.s
        if ! log=$("$clang" -x cl -cl-std=CL1.2 -O3 -target amdgcn-amd-amdhsa -mcpu="$target" -nogpulib \
            -Xclang -finclude-default-header -Xclang -mlink-builtin-bitcode -Xclang "$amd_library" $warnings "$@" \
            -S -o "$assembly" "$source" 2>&1); then
            case $log in
            *"unsupported"*"$target"* | *"unknown target CPU"*)
                echo "ok - $name: $target # SKIP this clang does not know it" ;;
            *)
                # The same words for each of the others would add nothing.
                result not_ok "$name: $target" "$log"
                return ;;
            esac
            continue
        fi
        registers=$(sed -n 's/^ *\.vgpr_count: *//p' "$assembly" | sort -n | tail -n 1)
        # Scalar registers spill into lanes of vector registers, not into memory: only these two reach memory.
        spilled=$(sed -n 's/^ *\.vgpr_spill_count: *//p' "$assembly" | sort -n | tail -n 1)
        scratch=$(sed -n 's/^ *\.private_segment_fixed_size: *//p' "$assembly" | sort -n | tail -n 1)
        rm -f "$assembly"
        if [ "$((spilled + scratch))" -gt 0 ] && [ "$may_spill" = no ]; then
            result not_ok "$name: $target: $registers registers, $spilled spilled, $scratch bytes of scratch"
        else
            result ok "$name: $target: $registers registers, $spilled spilled, $scratch bytes of scratch"
        fi
    done
}

# One line of the list, all targets. Files in, TAP points out.
check_line() {
    local line=$1 number=$2 name files options flags source=$work/$2.cl may_spill=no
    name=$(printf '%s' "$line" | awk -F' : ' '{ print $1 }' | trim)
    files=$(printf '%s' "$line" | awk -F' : ' '{ print $2 }' | trim)
    flags=" $(printf '%s' "$line" | awk -F' : ' '{ print $4 }' | trim) "
    options=()
    # The list is ours, and its options are quoted as for a shell.
    eval "options=($(printf '%s' "$line" | awk -F' : ' '{ print $3 }'))"
    if ! join $files >"$source" 2>"$work/$number.log"; then
        result not_ok "$name: files" "$(cat "$work/$number.log")"
        return
    fi
    case $flags in *" spills "*) may_spill=yes ;; esac
    local syntax=yes nvidia=${nvidia_library:+yes} amd=${amd_library:+yes}
    case $flags in
    *" nvidia "*) syntax=no amd=no ;;
    *" sm80 "*)
        syntax=no amd=no nvidia_targets=${nvidia_targets#sm_75 } nvidia_features=${nvidia_features/sm_75/sm_80}
        nvidia_features=${nvidia_features/ptx64/ptx70} ;;
    *" amd "*) syntax=no nvidia=no ;;
    *" syntax "*) nvidia=no amd=no ;;
    esac
    [ "$syntax" = yes ] && check_syntax "$name" "$source" "${options[@]}"
    [ "$nvidia" = yes ] && check_nvidia "$name" "$source" "$may_spill" "${options[@]}"
    [ "$amd" = yes ] && check_amd "$name" "$source" "$may_spill" "${options[@]}"
    rm -f "$source" "$source".*
}

echo "TAP version 13"
if [ -z "$clang" ]; then
    echo "1..0 # SKIP no clang (Debian: clang-19, libclc-19)"
    exit 0
fi
if [ ! -r "$list" ]; then
    echo "1..0 # SKIP no $list"
    exit 0
fi
nvidia_library=$(library nvptx64-nvidia-nvcl nvptx64--nvidiacl.bc)
amd_library=$(library amdgcn-amd-amdhsa amdgcn--amdhsa.bc)
[ -n "$nvidia_library" ] || echo "# no libclc for NVIDIA that $clang can read"
[ -n "$amd_library" ] || echo "# no libclc for AMD that $clang can read"
[ -n "$ptxas" ] || echo "# no ptxas: NVIDIA kernels are compiled to PTX and go no further"
echo "# $($clang --version | head -n 1)"

jobs=${KERNELS_JOBS:-$(nproc)}
number=0
while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    printf '%s' "$line" | grep -q -- "$pattern" || continue
    number=$((number + 1))
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    check_line "$line" "$number" >"$work/$(printf '%06d' "$number").tap" 2>&1 &
done <"$list"
wait

# Number the points; without one there is nothing to vouch for.
cat "$work"/*.tap 2>/dev/null | awk '
    /^(not )?ok - / { count++; sub(/ok - /, "ok " count " - ") }
    /^not ok / { failed++ }
    { print }
    END {
        if (!count) { print "1..0 # SKIP no combination matches"; exit 0 }
        print "1.." count
        exit failed > 0
    }'
