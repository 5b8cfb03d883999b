# SPDX-License-Identifier: Apache-2.0
# wavewarp-mpi: the program's bytes for any number of ranks, of every job, one message for what is wrong, nothing left.
#
# Usage: test_mpi.sh WAVEWARP WAVEWARP_MPI. $MPIRUN starts the ranks, default mpirun.
mpi=$(realpath "$2")
. "$(dirname "$0")/../cli/tap.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 POCL_MAX_PTHREAD_COUNT=1
# Ranks of one machine: Open MPI looks a quarter of a second for networks.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
mpirun=${MPIRUN:-mpirun}
oversubscribe=$("$mpirun" --version 2>/dev/null | grep -q 'Open MPI' && echo --oversubscribe)
: >out >err
# One rank in a third of the commands, else 2 to 5, each time other ones.
turn=${WAVEWARP_TEST_ROTATION:-0}
some_ranks() {
    [ "${WAVEWARP_TEST_EXHAUSTIVE:-0}" = 1 ] && echo "1 2 3 4 5" && return
    [ $((turn % 3)) -eq 0 ] && echo 1 || echo $((2 + turn % 4))
}

# of RANKS CODE ARGUMENT...: runs the program on ranks; true when it exits with this code.
of() {
    local count=$1 wanted=$2 got
    shift 2
    # shellcheck disable=SC2086 # one option, or none
    timeout 3000 "$mpirun" $oversubscribe -n "$count" "$mpi" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$wanted" ] && return 0
    echo "# exit code $got instead of $wanted: $count ranks, $*"
    return 1
}
# ranks_of PROCESS: the ranks among all that came from it, and from nothing else on the machine.
ranks_of() {
    ps -e -o pid=,ppid=,comm= | awk -v root="$1" '{ parent[$1] = $2; name[$1] = $3 }
        END { for (p in name) if (name[p] ~ /wavewarp/) { q = p; while (q > 1 && q != root) q = parent[q]; if (q == root) print p } }'
}
said_once() { [ "$(grep -cF -- "$1" err)" -eq 1 ]; }

if ! "$program" devices --no-self-test >out 2>err; then
    echo "1..0 # SKIP $(head -n 1 err)"
    exit 0
fi
"$program" generate cbf --count 40 --length 24 --max-length 40 --seed 1 --output a.ts
"$program" generate cbf --count 25 --length 24 --max-length 40 --seed 2 --output b.ts

"$program" generate cbf --count 40 --length 24 --max-length 40 --seed 5 --output c.ts
"$program" generate random-walk -n 2 -l 5000 -s 3 -o streams.npy && "$program" generate random-walk -n 3 -l 30 --max-length 50 -s 4 -o queries.ts &&
    "$program" generate random-walk -n 1 -l 40 -s 9 -o single.ts
python3 -c 'import array, math
array.array("f", [math.sin(i * i % 977) for i in range(15000)]).tofile(open("raw.f32", "wb"))'
# Points: whole numbers tie; words of bits; sets of integers, of which the last is empty.
awk 'BEGIN { for (i = 0; i < 150; i++) print i % 7 "," i * i % 11 "," i % 13 }' >points.csv
awk 'BEGIN { for (i = 0; i < 40; i++) print i % 5 "," i % 3 ".5,2" }' >near.csv
awk 'BEGIN { for (i = 0; i < 70; i++) { t = ""; for (b = 1; b <= 512; b *= 2) t = t int(i * 37 / b) % 2; print t } }' >bits.txt
awk 'BEGIN { for (i = 0; i < 50; i++) { t = i; for (b = 1; b < i % 6; b++) t = t " " (i * b) % 23; print t } }' >sets.txt
same_files() {
    local name
    for name; do cmp -s "one-$name" "many-$name" || return 1; done
}

# ---- the table: endings of outputs by option, command; all ranks write the files of one process
alike() {
    local ending=$1 option count
    shift
    option=-o
    [ "$1" = classify ] && option=--predictions
    ok "$*" gives 0 "$@" $option "one-x.$ending"
    turn=$((turn + 1))
    for count in $(some_ranks); do
        ok "on $count ranks" of "$count" 0 "$@" $option "many-x.$ending"
        ok "the same bytes" same_files "x.$ending"
    done
}
alike npy matrix a.ts
alike npy matrix a.ts b.ts -m twed --precision double
alike f32 matrix a.ts -z -b slanted:0.2 --condensed
alike csv pairs a.ts c.ts
alike csv nearest a.ts b.ts -k 3 -z
alike csv nearest a.ts -k 50 -m twed --precision double
alike npy path a.ts c.ts -b sakoe-chiba:30
alike csv classify a.ts b.ts -k 3
alike ts gradient a.ts c.ts --soft 1
alike csv knn near.csv points.csv --radius 4
alike csv knn bits.txt -m hamming -k 3
alike csv knn sets.txt -m jaccard -k 60 --precision double
alike csv lsh points.csv -k 3 -w 3
alike csv search queries.ts --in streams.npy -z -k 4
alike csv search single.ts --in streams.npy --in queries.ts -k 4
alike csv search queries.ts a.ts --in raw.f32 -m msm
alike npy profile streams.npy -w 40 -k 2 --left-right
alike csv profile streams.npy queries.ts --other-series 1 -w 20
alike json shapelets fit a.ts --no-tree --best 3 --length-step 4
alike json shapelets fit a.ts --length-step 6 --start-step 2
alike csv cluster a.ts -k 3
alike csv cluster a.ts -k 3 -M kmeans
ok "a choice" eval 'gives 0 choose a.ts --try band=corner:1..3 --svg one-x.svg && of 3 0 choose a.ts --try band=corner:1..3 --svg many-x.svg && same_files x.svg'
ok "ids and distances" eval 'gives 0 nearest a.ts b.ts -k 3 --ids one-i.npy --distances one-d.npy && of 2 0 nearest a.ts b.ts -k 3 --ids many-i.npy --distances many-d.npy && same_files i.npy d.npy'
ok "a report" eval 'gives 0 classify a.ts b.ts -k 3 --predictions one-c.csv && grep -vE "^(device|seconds|cells|pruned) " out >one-c.txt && of 2 0 classify a.ts b.ts -k 3 --predictions many-c.csv && grep -vE "^(device|seconds|cells|pruned) " out >many-c.txt && same_files c.csv c.txt'
ok "JSON, once" eval 'of 3 0 matrix a.ts -o many.npy --json && python3 -c "import json; assert json.load(open(\"out\"))[\"tiles\"] > 0"'
ok "blocks beyond memory" eval 'gives 0 matrix a.ts b.ts -o one-m.npy && WAVEWARP_RESULT_BYTES=100 of 3 0 matrix a.ts b.ts --max-bytes 3000 -o many-m.npy && same_files m.npy'
ok "what is not shared is rank 0's" eval 'gives 0 average a.ts -o one-a.ts && of 2 0 average a.ts -o many-a.ts && same_files a.ts'
ok "only the outputs are left" test -z "$(ls | grep -E '[.]part')"

# begun PROCESS: waits until both ranks have kept work, or the process has ended.
begun() {
    until [ "$(records marks.0)" -gt 2 ] && [ "$(records marks.1)" -gt 2 ]; do
        kill -0 "$1" 2>/dev/null || break
        sleep 0.05
    done
}
# killed ROUNDS OUTPUT ARGUMENT...: a rank is killed when some of the work is done; any number of ranks goes on. A job that
# ended before begins anew, and is killed as soon as there is something.
killed() {
    local rounds=$1 output=$2 round tenths=4 kept=() option=-o
    shift 2
    [ "$1" = classify ] && option=--predictions
    for round in $(seq "$rounds"); do
        for _ in 1 2 3 4 5; do
            # shellcheck disable=SC2086
            timeout 3000 "$mpirun" $oversubscribe -n 2 "$mpi" "$@" "$option" "$output" --checkpoint marks >out 2>err </dev/null &
            mpirun_of_job=$!
            begun "$mpirun_of_job"
            [ $tenths -eq 0 ] || sleep "0.$((RANDOM % tenths))"
            ranks_of "$mpirun_of_job" | shuf -n 1 | xargs -r kill -9
            wait "$mpirun_of_job" || break
            rm -f "$output"
            tenths=0
        done
        ranks=$((1 + round % 3))
        ok "killed and gone on, $ranks ranks" of "$ranks" 0 "$@" "$option" "$output" --checkpoint marks --resume --json
        ok "the same bytes" cmp -s "one-$output" "$output"
        kept+=("$(sed -n 's/.*"tiles_resumed": \([0-9]*\).*/\1/p' out)")
        ok "no marks are left" test -z "$(ls | grep '^marks[.][0-9]*$')"
        # What the killed one was writing just then stays beside them.
        rm -f "$output" "$output".part-*
    done
    echo "# what was done before: ${kept[*]}"
    ok "some was kept" test "$(printf '%s\n' "${kept[@]}" | sort -n | tail -n 1)" -gt 0
}
"$program" generate cbf --count 360 --length 300 --seed 3 --output long.ts
ok "a longer job, one process" gives 0 matrix long.ts -m twed --precision double -o one-killed.npy
killed "${WAVEWARP_TEST_KILLS:-1}" killed.npy matrix long.ts -m twed --precision double
# ended: SIGTERM reaches one rank, once some tiles are done.
ended() {
    # shellcheck disable=SC2086
    timeout 3000 "$mpirun" $oversubscribe -n 2 "$mpi" matrix long.ts -m twed --precision double -o killed.npy --checkpoint marks >out 2>err </dev/null &
    mpirun_of_job=$!
    begun "$mpirun_of_job"
    ranks_of "$mpirun_of_job" | sort -n | tail -n 1 | xargs -r kill -TERM
    wait "$mpirun_of_job"
    [ $? -eq 143 ] && absent killed.npy && [ -s marks.0 ]
}
ok "SIGTERM ends it" ended
rm -f killed.npy* marks.*
"$program" generate random-walk -n 1 -l 90000 --seed 5 --output walk.npy
"$program" generate random-walk -n 1 -l 300 --seed 6 --output query.npy
ok "matches, one process" gives 0 search query.npy --in walk.npy --kind windows -m twed --precision double --no-bounds -k 3 -o one-killed.csv
killed "${WAVEWARP_TEST_KILLS:-1}" killed.csv search query.npy --in walk.npy --kind windows -m twed --precision double --no-bounds -k 3
ok "a profile, one process" gives 0 profile walk.npy -w 300 -o one-killed.npy
killed "${WAVEWARP_TEST_KILLS:-1}" killed.npy profile walk.npy -w 300
ok "a checkpoint that is not needed" of 2 0 matrix a.ts -o many.npy --checkpoint marks
printf 'damaged' >marks.0
ok "a damaged store" of 2 1 matrix a.ts -o many.npy --checkpoint marks --resume
ok "is said once" said_once 'marks.0'
ok "a store that is there" of 2 1 matrix a.ts -o many.npy --checkpoint marks
ok "is said once" said_once 'marks.0'
rm -f marks.*
ok "going on from nothing" of 2 2 matrix a.ts -o many.npy --resume
ok "outputs that can't be written" of 2 1 nearest a.ts -o no/folder/n.csv --checkpoint marks
ok "is said once" said_once 'no/folder/n.csv'
ok "what was computed stays" of 3 0 nearest a.ts -o many-n.csv --checkpoint marks --resume --json
ok "all of it" resumed

# unlike A... B...: two ranks are started with unlike arguments, the first with $half of them.
unlike() {
    timeout 3000 "$mpirun" $oversubscribe -n 1 "$mpi" "${@:1:half}" : -n 1 "$mpi" "${@:half+1}" >out 2>err </dev/null
    [ $? -eq 1 ] && said_once 'on rank 0' && absent none.npy && absent none.npy.part.0
}
half=4
ok "another measure on one rank" unlike matrix a.ts -o none.npy matrix a.ts -o none.npy -m twed
ok "is told" said_once "but '' on rank 0"
ok "another input" unlike matrix a.ts -o none.npy matrix b.ts -o none.npy
ok "another output" unlike matrix a.ts -o none.npy matrix a.ts -o other.npy
ok "another command" unlike matrix a.ts -o none.npy pairs a.ts c.ts -o none.npy
ok "no command" unlike matrix a.ts -o none.npy --version
mkdir away && cp queries.ts away && head -c 20000 raw.f32 >away/raw.f32 && head -c 40000 /dev/zero >>away/raw.f32
cat >elsewhere <<'EOF'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-0}}}" = 0 ] || cd away || exit
exec "$@"
EOF
chmod +x elsewhere
aside=$mpi mpi=$PWD/elsewhere
ok "another stream of the same name" of 2 1 "$aside" search queries.ts --in raw.f32 --kind windows -o "$PWD/none.npy"
ok "is said once" said_once "inputs"
mpi=$aside
ok "nothing is written" eval 'absent none.npy && absent none.npy.part.0'
ok "what a checkpoint begins with" of 3 1 matrix a.ts -o no/folder/none.npy --checkpoint marks
ok "is removed where nothing was done" test -z "$(ls | grep '^marks')"
ok "neighbours of one set" of 2 1 nearest a.ts -o no/folder/n.csv --checkpoint marks
ok "of another one, on more ranks" of 3 1 nearest b.ts -o none.csv --checkpoint marks
ok "only what was there stays" eval '[ -s marks.0 ] && [ -s marks.1 ]'
rm -f marks.*
ok "one set, one process" gives 0 matrix a.ts -o one-m.npy
: >real.npy && ln -s real.npy link.npy
ok "to a link, with a checkpoint" of 2 0 matrix a.ts -o link.npy --checkpoint marks
ok "its file is written" eval 'cmp -s one-m.npy real.npy && test -L link.npy'

ok "a file that is not there" of 3 1 matrix none.ts -o none.npy
ok "is said once" said_once 'none.ts: can'
ok "points that are not there" of 2 1 knn points.csv none.csv -o none.npy
ok "is said once" said_once 'none.csv: can'
ok "a stream that is not there" of 2 1 search queries.ts --in none.f32 -o none.npy
ok "is said once" said_once 'none.f32: No such'
ok "a stream from standard input" of 2 2 search queries.ts --in - -o none.npy
ok "is said once" said_once 'not standard input'
ok "a window that is too long" of 3 1 profile queries.ts -w 500 -o none.npy
ok "is said once" said_once 'window'
ok "no window" of 2 2 profile queries.ts -o none.npy
ok "is said once" said_once '--window is missing'
ok "a radius that is none" of 2 2 knn points.csv --radius near -o none.csv
ok "is said once" said_once '--radius'
ok "a result that can't be written" of 3 1 matrix a.ts -o no/folder/none.npy
ok "is said once" said_once 'no/folder/none.npy'
ok "a device that is not there" of 2 1 matrix a.ts -o none.npy --device nowhere
ok "is said once" said_once 'no device matches'
ok "a band without a path" of 2 1 matrix a.ts b.ts -b sakoe-chiba:0 -o none.npy
ok "is said once" said_once 'no path'
ok "an unknown option" of 2 2 matrix a.ts --no-such -o none.npy
ok "is said once" said_once '--no-such'
ok "pairs of unequal sets" of 3 1 pairs a.ts b.ts -o none.npy
ok "is said once" said_once 'equal numbers'
ok "parts" of 2 2 nearest a.ts --part 1/2 --parts parts
ok "is said once" said_once 'unit by unit'
ok "paths of unequal sets" of 3 1 path a.ts b.ts -o none.npy
ok "is said once" said_once 'one series on a side'
ok "no place for the work" of 2 1 matrix a.ts
ok "is said once" said_once 'beside an output file'
ok "no result" absent none.npy
ok "no part of one" absent none.npy.part.0
ok "help" of 2 0 matrix --help
ok "is printed once" test "$(grep -c '^Usage:' out)" -eq 1
finish
