# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the program: a folder of its own, runs, checks, TAP.

program=$(realpath "$1")
folder=$(mktemp -d)
# A signal may reach a forked shell before it has become the program: that runs the trap too, and there commands can fail
# for no other reason. So only what is certainly this shell removes.
trap '[ "$BASHPID" = $$ ] && rm -rf "$folder"' EXIT
cd "$folder" || exit 1
tap_count=0

# ok WHAT CONDITION...: one test, which passes when the condition (a command) does.
ok() {
    local what=$1
    shift
    tap_count=$((tap_count + 1))
    if "$@"; then
        echo "ok $tap_count - $what"
    else
        echo "not ok $tap_count - $what"
        echo "# failed: $*"
        sed 's/^/# stdout: /' out | head -n 5
        sed 's/^/# stderr: /' err | head -n 20
    fi
}

# gives CODE ARGUMENT...: runs the program; true when it exits with this code. Its output is in out and err.
gives() {
    local wanted=$1 got
    shift
    "$program" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$wanted" ] && return 0
    echo "# exit code $got instead of $wanted: $*"
    return 1
}

# Meson has malloc() fill what it gives, of which the driver's compiler asks for much: each second time.
[ "${WAVEWARP_TEST_EXHAUSTIVE:-0}" = 1 ] || [ $((${WAVEWARP_TEST_ROTATION:-0} % 2)) -eq 1 ] || export MALLOC_PERTURB_=0

# in_turn N: one call in N is true, each time other ones; all in the exhaustive extent.
turns=0
in_turn() {
    turns=$((turns + 1))
    [ "${WAVEWARP_TEST_EXHAUSTIVE:-0}" = 1 ] || [ $(((${WAVEWARP_TEST_ROTATION:-0} / 2 + turns) % $1)) -eq 0 ]
}
says() { grep -qF -- "$1" err; }
prints() { grep -qF -- "$1" out; }
lines() { [ "$(wc -l <"$2")" -eq "$1" ]; }
same() { cmp -s "$1" "$2"; }
resumed() { grep -qE '"tiles_resumed": [1-9]' out; }

# divided PARTS OUTPUT COMMAND...: all parts and their merge.
divided() {
    local count=$1 output=$2 i
    shift 2
    rm -rf parts
    for ((i = 1; i <= count; i++)); do
        gives 0 "$@" --part $i/$count --parts parts || return 1
    done
    gives 0 merge parts -o "$output"
}
# records STORE: how many records it has; two are those of a job without a unit.
records() { grep -aob wwstore1 "$1" 2>/dev/null | wc -l; }
# begun PROCESS STORE: waits until units are in the store, or the process has ended.
begun() {
    until [ "$(records "$2")" -gt 2 ]; do
        kill -0 "$1" 2>/dev/null || break
        sleep 0.01
    done
}

# killed OUTPUT STORE ARGUMENT...: ends the command three times by kill -9 at random moments, once units are done, then
# lets it end. The JSON of the run that ended is in out. Where a fast device ends the job before the first kill, it begins
# anew with half the delay.
killed() {
    local count=0 delay=250 round file=$1 store=$2 process got
    shift 2
    for ((round = 0; count < 3 && round < 12; round++)); do
        "$program" "$@" --resume --json >out 2>err </dev/null &
        process=$!
        begun $process "$store"
        sleep "0.$(printf %03d $((RANDOM % delay)))"
        kill -KILL $process 2>/dev/null
        wait $process 2>/dev/null
        got=$?
        rm -f ./*.part-* # what was half written when it was killed
        if [ $got -eq 137 ] && [ -e "$store" ]; then
            count=$((count + 1))
            continue
        fi
        echo "# exit code $got after it was ended $count times"
        [ -e "$file" ] || return 1
        [ $got -eq 0 ] && [ $count -gt 0 ] && return 0
        rm -f "$file" "$store"
        count=0 delay=$((delay / 2 + 1))
    done
    echo "# ended $count times"
    [ $count -gt 0 ] && gives 0 "$@" --resume --json
}
# two_devices: prints the numbers of two devices of one kind, "0,1"; nothing where there are none. PoCL shows two.
two_devices() {
    POCL_DEVICES="pthread pthread" "$program" devices --no-self-test --json 2>err | python3 -c 'import json, sys
kinds = {}
for d in json.load(sys.stdin)["devices"]:
    if d["usable"]:
        kinds.setdefault((d["platform"], d["name"]), []).append(str(d["index"]))
pair = max(kinds.values(), key=len)[:2]
print(",".join(pair) if len(pair) == 2 else "")'
}
absent() { [ ! -e "$1" ]; }
no_leftovers() { ! compgen -G '*.part-*' >/dev/null; }

# Ends a test that can't run here.
needs_device() {
    "$program" devices --no-self-test >out 2>err && return
    if [ "${WAVEWARP_TEST_REQUIRE_DEVICE:-0}" = 1 ]; then
        echo "Bail out! no OpenCL device: $(cat err)"
        exit 1
    fi
    echo "1..0 # SKIP $(head -n 1 err)"
    exit 0
}

finish() {
    echo "1..$tap_count"
}

# wrong OUTPUT WHY: merge fails for this reason, in one line, and writes nothing.
wrong() {
    rm -f "$1"
    gives 1 merge parts "${3:--o}" "$1" && says "$2" && lines 1 err && absent "$1" && no_leftovers
}
# Parts as they were: of the folder good.
again() { rm -rf parts && cp -r good parts; }
