#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build into a temporary folder and uses it from outside: each public header alone as C and as C++, the
# examples by pkg-config (shared and static) and by CMake. Prints TAP.
#
# Usage: package.sh SOURCE BUILD
set -u
source=$1
build=$2
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

count=0
failed=0
point() { # point STATUS NAME LOG
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        failed=1
        echo "not ok $count - $2"
        printf '%s\n' "$3" | tail -n 20 | sed 's/^/# /'
    fi
}
check() { # check NAME COMMAND...
    local name=$1 log status
    shift
    log=$("$@" 2>&1 </dev/null)
    status=$?
    point "$status" "$name" "$log"
    return "$status"
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
finish() { echo "1..$count"; exit "$failed"; }

echo "TAP version 13"
check "installs" env DESTDIR="$stage" meson install -C "$build" --no-rebuild || finish

pc=$(find "$stage" -name wavewarp.pc | head -n 1)
library=$(dirname "$pc")/..
library=$(cd "$library" && pwd)
prefix=$stage$(sed -n 's/^prefix=//p' "$pc")
# Only the prefix has to be told: everything else in the file is relative to it.
package() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --define-variable=prefix="$prefix" "$@" wavewarp; }

headers=$(find "$prefix/include/wavewarp" -name '*.h' -printf '%f\n' | sort)
check "every public header is installed" diff <(echo "$headers") \
    <(find "$source/include/wavewarp" -name '*.h' -printf '%f\n' | sort)

if [ -d "$prefix/share/man" ]; then # -Ddocs=true
    for file in LICENSE NOTICE examples/matrix.c examples/saving.c examples/CMakeLists.txt; do
        check "$file is installed" cmp "$source/$file" "$prefix/share/doc/wavewarp/$file"
    done
fi

cc=$(command -v "${CC:-cc}" || command -v gcc || command -v clang)
cxx=$(command -v "${CXX:-c++}" || command -v g++ || command -v clang++)
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
for header in $headers; do
    echo "#include <wavewarp/$header>" >"$stage/header.c"
    check "$header alone, C11" "$cc" -std=c11 $warnings -Wstrict-prototypes $(package --cflags) -fsyntax-only "$stage/header.c"
    if [ -n "$cxx" ]; then
        check "$header alone, C++17" "$cxx" -x c++ -std=c++17 $warnings $(package --cflags) -fsyntax-only "$stage/header.c"
    else
        skip "$header alone, C++17" "no C++ compiler"
    fi
done

# The initialisers are macros: they are compiled only where they are used.
sed -nE 's/^#define (WW_[A-Z_]+)_INIT.*/\1/p' "$prefix"/include/wavewarp/*.h | while read -r name; do
    type=$(echo "$name" | tr '[:upper:]' '[:lower:]')
    echo "$type use_$type(void); $type use_$type(void) { $type value = ${name}_INIT; return value; }"
done | { echo '#include <wavewarp/wavewarp.h>'; cat; } >"$stage/init.c"
check "initialisers, C11" "$cc" -std=c11 $warnings $(package --cflags) -fsyntax-only "$stage/init.c"
if [ -n "$cxx" ]; then
    check "initialisers, C++17" "$cxx" -x c++ -std=c++17 $warnings $(package --cflags) -fsyntax-only "$stage/init.c"
fi

# Every symbol of the shared library is the interface's; every global one of the static archive is named as ours.
if [ -e "$library/libwavewarp.so" ]; then
    exported=$(nm -D --defined-only "$library/libwavewarp.so" | awk '$2 != "A" { print $3 }' | grep -v '^ww_')
    point "$([ -z "$exported" ]; echo $?)" "the shared library exports ww_ alone" "$exported"
fi
if [ -e "$library/libwavewarp.a" ]; then
    exported=$(nm -g --defined-only "$library/libwavewarp.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -vE '^wwi?_')
    point "$([ -z "$exported" ]; echo $?)" "the static archive's names start with ww_ or wwi_" "$exported"
fi
# A declaration without a definition is found here rather than by the first who calls it.
declared=$(sed -e 's|//.*||' "$prefix"/include/wavewarp/*.h | tr '\n' ' ' | tr ';' '\n' |
    sed -nE 's/.*WW_API(_STATUS)? ([^(]*[ *])?(ww_[a-z0-9_]+)\(.*/\3/p' | sort -u)
defined=$(nm -D --defined-only "$library/libwavewarp.so" 2>/dev/null | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u)
absent=$(comm -23 <(echo "$declared") <(echo "$defined"))
point "$([ -z "$absent" ]; echo $?)" "every declared function is defined" "$absent"

# Where the loader looks: with -Drpath=true programs have their own tree, nothing has another place.
allowed=none
grep -q '"name": "rpath", "value": true' <(meson introspect --buildoptions "$build") && allowed='\[\$ORIGIN/[^:]*\]$'
elsewhere=$(find "$prefix/bin" "$library/" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF && readelf -dW "$1" | grep -E "R(UN)?PATH" |
    sed "s|^|$1: |"' sh {} \; | grep -v "$allowed")
point "$([ -z "$elsewhere" ]; echo $?)" "no installed file has a search path of another tree" "$elsewhere"

for program in wavewarp wavewarp-bench; do
    [ -x "$prefix/bin/$program" ] && check "the installed $program runs" "$prefix/bin/$program" --version
done

run_example() { # run_example HOW EXECUTABLE
    local name expected log status
    name=$(basename "$2")
    log=$(env LD_LIBRARY_PATH="$library" "$2" 2>&1 </dev/null)
    status=$?
    if [ "$status" != 0 ] && printf '%s' "$log" | grep -qiE 'no OpenCL (platform|device)'; then
        skip "$name runs, $1" "no OpenCL device"
        return
    fi
    if [ "$status" != 0 ] && [[ $log == *'built without jansson'* ]]; then
        skip "$name runs, $1" "built without jansson"
        return
    fi
    expected=$source/tests/package/$name.expected
    if [ "$status" = 0 ] && [ "$log" != "$(cat "$expected")" ]; then
        status=1
    fi
    point "$status" "$name runs, $1" "$log"
}

for example in distance matrix views shards training words saving recurrence; do
    file=$source/examples/$example.c
    mkdir -p "$stage/shared" "$stage/static"
    check "$example compiles, shared" "$cc" -std=c11 $warnings $(package --cflags) -o "$stage/shared/$example" "$file" \
        $(package --libs) && run_example shared "$stage/shared/$example"
    if [ -e "$library/libwavewarp.a" ]; then
        check "$example compiles, static" "$cc" -std=c11 $warnings $(package --cflags) -o "$stage/static/$example" "$file" \
            $(package --static --libs | sed 's/-lwavewarp/-l:libwavewarp.a/') && run_example static "$stage/static/$example"
    fi
done

# The README's example is for copying: it compiles as it stands there, given what the text around it names.
snippet() { # snippet TEXT: the README's C block that holds TEXT
    awk -v text="$1" '/^```c$/ { inside = 1; block = ""; next } /^```/ { if (inside && index(block, text)) print block; inside = 0 }
        inside { block = block $0 "\n" }' "$source/README.md"
}
{
    echo '#include <wavewarp/wavewarp.h>
#define TRY(call) if ((call) != WW_OK) goto done
int five(const double *x, const double *y, double distance);
int five(const double *x, const double *y, double distance) {'
    snippet 'ww_distance('
    echo 'done: return distance > 0; }'
} >"$stage/readme.c"
check "the README's example compiles" "$cc" -std=c11 $warnings $(package --cflags) -fsyntax-only "$stage/readme.c"

if command -v cmake >/dev/null; then
    check "CMake finds the package" cmake -G Ninja -S "$source/examples" -B "$stage/cmake" -DCMAKE_PREFIX_PATH="$prefix" &&
        check "CMake builds the examples" cmake --build "$stage/cmake" && run_example CMake "$stage/cmake/matrix"
    if [ -e "$library/libwavewarp.so" ]; then
        check "CMake finds the shared library without OpenCL's package" cmake -G Ninja -S "$source/examples" -B "$stage/cmake-shared" \
            -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_DISABLE_FIND_PACKAGE_OpenCL=ON
    fi
    mkdir -p "$stage/static-project"
    sed 's/wavewarp::wavewarp/wavewarp::wavewarp_static/' "$source/examples/CMakeLists.txt" >"$stage/static-project/CMakeLists.txt"
    cp "$source"/examples/*.c "$stage/static-project"
    check "CMake finds the static library" cmake -G Ninja -S "$stage/static-project" -B "$stage/cmake-static" -DCMAKE_PREFIX_PATH="$prefix" &&
        check "CMake builds with the static library" cmake --build "$stage/cmake-static" && run_example "CMake static" "$stage/cmake-static/distance"
    mkdir -p "$stage/inside"
    cat >"$stage/inside/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(inside C)
add_subdirectory("$source" wavewarp EXCLUDE_FROM_ALL)
add_executable(matrix "$source/examples/matrix.c")
target_link_libraries(matrix PRIVATE wavewarp::wavewarp)
END
    check "CMake takes the sources by add_subdirectory" cmake -G Ninja -S "$stage/inside" -B "$stage/cmake-inside" &&
        check "CMake builds them" cmake --build "$stage/cmake-inside" && run_example "CMake sources" "$stage/cmake-inside/matrix"
else
    skip "CMake package" "no cmake"
fi
# Inside another Meson project: the library, and no test of ours.
mkdir -p "$stage/outer/subprojects"
ln -s "$source" "$stage/outer/subprojects/wavewarp"
cp "$source/packaging/meson/wavewarp.wrap" "$stage/outer/subprojects/"
cat >"$stage/outer/meson.build" <<'END'
project('outer', 'c')
executable('outer', 'outer.c', dependencies: dependency('wavewarp'))
END
echo '#include <wavewarp/wavewarp.h>
int main(void) { return ww_api_version() != WW_API_VERSION; }' >"$stage/outer/outer.c"
check "Meson takes it as a subproject, by its wrap" meson setup --wrap-mode=forcefallback -Dwavewarp:installed_kernels=false "$stage/outer/build" \
    "$stage/outer"
installed=$(meson introspect --installed "$stage/outer/build" 2>&1 | grep -o '"[^"]*/share/wavewarp/[^"]*"')
point "$([ -z "$installed" ]; echo $?)" "its kernels are the built-in ones alone" "$installed"
tests=$(meson introspect --tests "$stage/outer/build" 2>&1)
point "$([ "$tests" = '[]' ]; echo $?)" "no test of ours is among its tests" "$tests"
finish
