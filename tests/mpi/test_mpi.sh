# SPDX-License-Identifier: Apache-2.0
# wavewarp-mpi: the program's bytes for any number of ranks and any tile, one message for what is wrong, nothing left.
#
# Usage: test_mpi.sh WAVEWARP WAVEWARP_MPI. $MPIRUN starts the ranks, default mpirun.
mpi=$(realpath "$2")
. "$(dirname "$0")/../cli/tap.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 POCL_MAX_PTHREAD_COUNT=1
mpirun=${MPIRUN:-mpirun}
oversubscribe=$("$mpirun" --version 2>/dev/null | grep -q 'Open MPI' && echo --oversubscribe)
: >out >err

# of RANKS CODE ARGUMENT...: runs the program on ranks; true when it exits with this code.
of() {
    local count=$1 wanted=$2 got
    shift 2
    # shellcheck disable=SC2086 # one option, or none
    timeout 300 "$mpirun" $oversubscribe -n "$count" "$mpi" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$wanted" ] && return 0
    echo "# exit code $got instead of $wanted: $count ranks, $*"
    return 1
}
said_once() { [ "$(grep -cF -- "$1" err)" -eq 1 ]; }

if ! "$program" devices --no-self-test >out 2>err; then
    echo "1..0 # SKIP $(head -n 1 err)"
    exit 0
fi
"$program" generate cbf --count 40 --length 24 --max-length 40 --seed 1 --output a.ts
"$program" generate cbf --count 25 --length 24 --max-length 40 --seed 2 --output b.ts

ok "one set, one process" gives 0 matrix a.ts -o one.npy
for ranks in 1 2 3 4 5; do
    ok "one set, $ranks ranks" of "$ranks" 0 matrix a.ts -o many.npy
    ok "the same bytes" cmp -s one.npy many.npy
done
ok "two sets, one process" gives 0 matrix a.ts b.ts -m twed --precision double -o one.npy
for tile in 1 7 1000; do
    ok "two sets, tiles of $tile" of 3 0 matrix a.ts b.ts -m twed --precision double -o many.npy --tile $tile
    ok "the same bytes" cmp -s one.npy many.npy
done
ok "raw values" gives 0 matrix a.ts -z -b slanted:0.2 -o one.f32
ok "raw values on ranks" of 2 0 matrix a.ts -z -b slanted:0.2 -o many.f32
ok "the same bytes" cmp -s one.f32 many.f32
ok "what the ranks did" of 2 0 matrix a.ts -o many.npy --json
ok "is in one object" python3 -c 'import json
done = json.load(open("out"))["ranks"]
assert len(done) == 2 and sum(rank["tiles"] for rank in done) > 0'

# A rank is killed when some tiles are done; any number of ranks goes on.
"$program" generate cbf --count 360 --length 300 --seed 3 --output long.ts
ok "a longer job, one process" gives 0 matrix long.ts -m twed --precision double -o one.npy
kept=()
for round in $(seq "${WAVEWARP_TEST_KILLS:-3}"); do
    # shellcheck disable=SC2086
    timeout 300 "$mpirun" $oversubscribe -n 2 "$mpi" matrix long.ts -m twed --precision double -o killed.npy --tile 16 --checkpoint marks >out 2>err </dev/null &
    mpirun_of_job=$!
    for _ in $(seq 600); do
        [ -e marks.0 ] && [ -e killed.npy.part ] && break
        sleep 0.05
    done
    sleep "0.$((RANDOM % 6))"
    pgrep -f -- '--checkpoint mark[s]' | xargs -r ps -o pid=,comm= -p | awk '$2 ~ /wavewarp/ { print $1 }' | shuf -n 1 | xargs -r kill -9
    wait "$mpirun_of_job"
    ranks=$((1 + round % 3))
    ok "killed and gone on, $ranks ranks" of "$ranks" 0 matrix long.ts -m twed --precision double -o killed.npy --tile 16 --checkpoint marks --resume --json
    ok "the same bytes" cmp -s one.npy killed.npy
    kept+=("$(sed -n 's/.*"tiles_resumed": \([0-9]*\).*/\1/p' out)")
    ok "no marks are left" test -z "$(ls | grep -x 'marks[.][0-9]*')"
    rm -f killed.npy
done
echo "# tiles that were done before: ${kept[*]}"
ok "some tiles were kept" test "$(printf '%s\n' "${kept[@]}" | sort -n | tail -n 1)" -gt 0
ok "a checkpoint that is not needed" of 2 0 matrix a.ts -o many.npy --checkpoint marks
printf 'damaged' >marks.0
ok "a damaged journal" of 2 1 matrix a.ts -o many.npy --checkpoint marks --resume
ok "is said once" said_once 'marks.0'
ok "a journal that is there" of 2 1 matrix a.ts -o many.npy --checkpoint marks
ok "is said once" said_once 'marks.0'
rm -f marks.*
ok "going on from nothing" of 2 2 matrix a.ts -o many.npy --resume

ok "a file that is not there" of 3 1 matrix none.ts -o none.npy
ok "is said once" said_once 'none.ts: can'
ok "a result that can't be written" of 3 1 matrix a.ts -o no/folder/none.npy
ok "is said once" said_once 'no/folder/none.npy'
ok "a device that is not there" of 2 1 matrix a.ts -o none.npy --device nowhere
ok "is said once" said_once 'no device matches'
ok "a band without a path" of 2 1 matrix a.ts b.ts -b sakoe-chiba:0 -o none.npy
ok "is said once" said_once 'no path'
ok "an unknown option" of 2 2 matrix a.ts --no-such -o none.npy
ok "is said once" said_once '--no-such'
ok "no place for the result" of 2 2 matrix a.ts
ok "is said once" said_once 'needs --output'
ok "no result" absent none.npy
ok "no part of one" absent none.npy.part
ok "help" of 2 0 matrix --help
ok "is printed once" test "$(grep -c '^Usage:' out)" -eq 1
finish
