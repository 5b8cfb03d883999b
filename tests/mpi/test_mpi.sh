# SPDX-License-Identifier: Apache-2.0
# wavewarp-mpi: the program's bytes for any number of ranks and any tile, of every job, one message for what is wrong, nothing left.
#
# Usage: test_mpi.sh WAVEWARP WAVEWARP_MPI. $MPIRUN starts the ranks, default mpirun.
mpi=$(realpath "$2")
. "$(dirname "$0")/../cli/tap.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 POCL_MAX_PTHREAD_COUNT=1
mpirun=${MPIRUN:-mpirun}
oversubscribe=$("$mpirun" --version 2>/dev/null | grep -q 'Open MPI' && echo --oversubscribe)
: >out >err
# One rank, and one other number of them, each time another one.
some_ranks="1 $((2 + ${WAVEWARP_TEST_ROTATION:-0} % 4))"
[ "${WAVEWARP_TEST_EXHAUSTIVE:-0}" = 1 ] && some_ranks="1 2 3 4 5"

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

ok "one set, one process" gives 0 matrix a.ts -o one.npy
for ranks in $some_ranks; do
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


# Neighbours and pairs: every rank has the whole base, and takes runs of the queries.
"$program" generate cbf --count 40 --length 24 --max-length 40 --seed 5 --output c.ts
same_files() {
    local name
    for name; do cmp -s "one-$name" "many-$name" || return 1; done
}
ok "nearest, one process" gives 0 nearest a.ts b.ts -k 3 -z -o one-n.csv --ids one-i.npy --distances one-d.npy
for ranks in $some_ranks; do
    ok "nearest, $ranks ranks" of "$ranks" 0 nearest a.ts b.ts -k 3 -z -o many-n.csv --ids many-i.npy --distances many-d.npy
    ok "the same bytes" same_files n.csv i.npy d.npy
done
ok "nearest within a set" gives 0 nearest a.ts -k 50 -m twed --precision double -o one-n.csv
ok "on ranks, tiles of 7" of 3 0 nearest a.ts -k 50 -m twed --precision double -o many-n.csv --tile 7 --json
ok "the same bytes" same_files n.csv
ok "each query by one rank" python3 -c 'import json
done = json.load(open("out"))
assert done["tiles"] == 40 and sum(rank["tiles"] for rank in done["ranks"]) == 40'
for form in csv npy; do
    ok "pairs" gives 0 pairs a.ts c.ts -o one-p.$form
    ok "pairs on ranks" of 2 0 pairs a.ts c.ts -o many-p.$form --tile 9
    ok "the same bytes" same_files p.$form
done
# Points: whole numbers tie; words of bits; sets of integers, of which the last is empty.
awk 'BEGIN { for (i = 0; i < 150; i++) print i % 7 "," i * i % 11 "," i % 13 }' >points.csv
awk 'BEGIN { for (i = 0; i < 40; i++) print i % 5 "," i % 3 ".5,2" }' >queries.csv
awk 'BEGIN { for (i = 0; i < 70; i++) { t = ""; for (b = 1; b <= 512; b *= 2) t = t int(i * 37 / b) % 2; print t } }' >bits.txt
awk 'BEGIN { for (i = 0; i < 50; i++) { t = i; for (b = 1; b < i % 6; b++) t = t " " (i * b) % 23; print t } }' >sets.txt
ranks=1
for job in "queries.csv points.csv --radius 4" "bits.txt -m hamming -k 3" "sets.txt -m jaccard -k 60 --precision double"; do
    ranks=$((ranks + 1))
    ok "knn $job" gives 0 knn $job -o one-n.csv --ids one-i.npy --distances one-d.npy
    # shellcheck disable=SC2086
    ok "on $ranks ranks" of $ranks 0 knn $job -o many-n.csv --ids many-i.npy --distances many-d.npy
    ok "the same bytes" same_files n.csv i.npy d.npy
done
ok "knn within a radius" gives 0 knn points.csv -k 5 --radius 3 -o one-n.csv
mkdir parts
ok "its parts" of 2 0 knn points.csv -k 5 --radius 3 --parts parts --count 3
ok "the merge of them" gives 0 merge parts -o many-n.csv
ok "the same bytes" same_files n.csv
rm -rf parts
ok "only the outputs are left" test -z "$(ls | grep -E 'part|one-.*npy.npy|many-.*[.]npy[.]')"

# Parts, without a file that ranks share.
ok "one set, one process" gives 0 matrix a.ts -o one-m.npy
mkdir parts
ok "parts of a matrix" of 3 0 matrix a.ts --parts parts --count 4
ok "the merge of them" gives 0 merge parts -o many-m.npy
ok "the same bytes" same_files m.npy
rm -f parts/2-of-4.*
ok "again where one is missing, on other ranks" of 2 0 matrix a.ts --parts parts --count 4 --resume --json
ok "which alone is computed" python3 -c 'import json
done = json.load(open("out"))
assert 0 < done["tiles_resumed"] < done["tiles"] == done["tiles_resumed"] + sum(rank["tiles"] for rank in done["ranks"])'
ok "the merge of them" gives 0 merge parts -o many-m.npy
ok "the same bytes" same_files m.npy
ok "parts that are there" of 2 1 matrix a.ts --parts parts --count 4
ok "is said once" said_once '-of-4.journal'
rm -rf parts && mkdir parts
ok "nearest of a set, one process" gives 0 nearest a.ts -k 50 -m twed --precision double -o one-n.csv
ok "parts of the neighbours" of 2 0 nearest a.ts -k 50 -m twed --precision double --parts parts --count 3
ok "the merge of them" gives 0 merge parts -o many-n.csv
ok "the same bytes" same_files n.csv

# Searches and profiles: what ranks find in units is joined.
"$program" generate random-walk -n 2 -l 5000 -s 3 -o streams.npy && "$program" generate random-walk -n 3 -l 30 --max-length 50 -s 4 -o queries.ts &&
    "$program" generate random-walk -n 1 -l 40 -s 9 -o single.ts
python3 -c 'import array, math
array.array("f", [math.sin(i * i % 977) for i in range(15000)]).tofile(open("raw.f32", "wb"))'
ok "search, one process" gives 0 search queries.ts --in streams.npy -z -k 4 -o one-s.csv
ok "profile, one process" gives 0 profile streams.npy -w 40 -k 2 --left-right -o one-w.npy
for ranks in $some_ranks; do
    ok "search, $ranks ranks" of "$ranks" 0 search queries.ts --in streams.npy -z -k 4 -o many-s.csv
    ok "the same bytes" same_files s.csv
    ok "profile, $ranks ranks" of "$ranks" 0 profile streams.npy -w 40 -k 2 --left-right -o many-w.npy --tile $ranks
    ok "the same bytes" same_files w.npy
done
ok "one query with open ends in several streams" gives 0 search single.ts --in streams.npy --in queries.ts -k 4 -o one-s.csv
ok "on ranks" of 4 0 search single.ts --in streams.npy --in queries.ts -k 4 -o many-s.csv --json
ok "the same bytes" same_files s.csv
ok "each stream by one rank" grep -q '"tiles": 5,' out
ok "queries of two files in plain numbers" gives 0 search queries.ts a.ts --in raw.f32 -m msm -o one-s.csv
ok "on ranks" of 3 0 search queries.ts a.ts --in raw.f32 -m msm -o many-s.csv --json
ok "the same bytes" same_files s.csv
ok "each query by one rank" python3 -c 'import json
done = json.load(open("out"))
assert done["tiles"] == 43 and sum(rank["tiles"] for rank in done["ranks"]) == 43'
rm -rf parts && mkdir parts
ok "profile of two series" gives 0 profile streams.npy queries.ts --other-series 1 -w 20 -o one-w.csv
ok "its parts" of 2 0 profile streams.npy queries.ts --other-series 1 -w 20 --parts parts --count 3
ok "the merge of them" gives 0 merge parts -o many-w.csv
ok "the same bytes" same_files w.csv

# Paths and classes, which rank 0 joins too.
ok "paths, one process" gives 0 path a.ts c.ts -b sakoe-chiba:30 -o one-p.npy
ok "classes, one process" gives 0 classify a.ts b.ts -k 3 --predictions one-c.csv
# Without the lines about device and speed.
grep -vE '^(device|seconds|cells|pruned) ' out >one-c.txt
for ranks in $some_ranks; do
    ok "paths, $ranks ranks" of "$ranks" 0 path a.ts c.ts -b sakoe-chiba:30 -o many-p.npy
    ok "the same bytes" same_files p.npy
    ok "classes, $ranks ranks" of "$ranks" 0 classify a.ts b.ts -k 3 --predictions many-c.csv --tile $ranks
    ok "the same bytes, and the same report" eval 'cp out many-c.txt && same_files c.csv c.txt'
done
for job in "npy path a.ts c.ts -b sakoe-chiba:30" "csv classify a.ts b.ts -k 3"; do
    read -r form job <<<"$job"
    rm -rf parts && mkdir parts
    # shellcheck disable=SC2086
    ok "parts of ${job%% *}" of 3 0 $job --parts parts --count 4
    rm -f parts/2-of-4.*
    # shellcheck disable=SC2086
    ok "again where one is missing" of 2 0 $job --parts parts --count 4 --resume --json
    ok "which alone is computed" grep -qE '"tiles_resumed": [1-9]' out
    ok "the merge of them" gives 0 merge parts -o "many-${job:0:1}.$form"
    ok "the same bytes" same_files "${job:0:1}.$form"
done

# Gradients of pairs, and hashing.
ok "gradient, one process" gives 0 gradient a.ts c.ts --soft 1 -o one-g.ts
ok "lsh, one process" gives 0 lsh points.csv -k 3 -w 3 -o one-l.csv
for ranks in $some_ranks; do
    ok "gradient, $ranks ranks" of "$ranks" 0 gradient a.ts c.ts --soft 1 -o many-g.ts
    ok "the same bytes" same_files g.ts
    ok "lsh, $ranks ranks" of "$ranks" 0 lsh points.csv -k 3 -w 3 -o many-l.csv --tile $((2 * ranks + 5))
    ok "the same bytes" same_files l.csv
done
rm -rf parts && mkdir parts
ok "parts of the gradients" of 2 0 gradient a.ts c.ts --soft 1 --parts parts --count 3
ok "the merge of them" gives 0 merge parts -o many-g.ts
ok "the same bytes" same_files g.ts
rm -rf parts && mkdir parts
ok "parts of hashing" of 2 0 lsh points.csv -k 3 -w 3 --parts parts --count 3
ok "the merge of them" gives 0 merge parts -o many-l.csv
ok "the same bytes" same_files l.csv
ok "an unknown width" of 2 2 lsh points.csv -w wide -o none.csv
ok "is said once" said_once '--width'
ok "gradients of unequal sets" of 3 1 gradient a.ts b.ts -o none.ts
ok "is said once" said_once 'equal numbers'

# begun PROCESS: waits until both ranks have noted work, or the process has ended. Eight lines are those of a journal of
# nothing.
begun() {
    until [ -e marks.0 ] && [ -e marks.1 ] && [ "$(cat marks.0 marks.1 | wc -l)" -gt 16 ]; do
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
        rm -f "$output" marks.*.part-*
    done
    echo "# what was done before: ${kept[*]}"
    ok "some was kept" test "$(printf '%s\n' "${kept[@]}" | sort -n | tail -n 1)" -gt 0
}
"$program" generate cbf --count 360 --length 300 --seed 3 --output long.ts
ok "a longer job, one process" gives 0 matrix long.ts -m twed --precision double -o one-killed.npy
killed "${WAVEWARP_TEST_KILLS:-2}" killed.npy matrix long.ts -m twed --precision double
# ended: SIGTERM reaches one rank, once some tiles are done.
ended() {
    # shellcheck disable=SC2086
    timeout 3000 "$mpirun" $oversubscribe -n 2 "$mpi" matrix long.ts -m twed --precision double -o killed.npy --checkpoint marks >out 2>err </dev/null &
    mpirun_of_job=$!
    begun "$mpirun_of_job"
    ranks_of "$mpirun_of_job" | sort -n | tail -n 1 | xargs -r kill -TERM
    wait "$mpirun_of_job"
    [ $? -eq 143 ] && said_once 'ended by a signal; --resume goes on' && absent killed.npy
}
ok "SIGTERM ends it behind a tile" ended
rm -f killed.npy* marks.*
ok "neighbours, one process" gives 0 nearest long.ts -m twed --precision double -k 2 -o one-killed.csv
killed "${WAVEWARP_TEST_KILLS:-1}" killed.csv nearest long.ts -m twed --precision double -k 2
"$program" generate random-walk -n 1 -l 90000 --seed 5 --output walk.npy
"$program" generate random-walk -n 1 -l 300 --seed 6 --output query.npy
ok "matches, one process" gives 0 search query.npy --in walk.npy --kind windows -m twed --precision double --no-bounds -k 3 -o one-killed.csv
killed "${WAVEWARP_TEST_KILLS:-1}" killed.csv search query.npy --in walk.npy --kind windows -m twed --precision double --no-bounds -k 3
ok "a profile, one process" gives 0 profile walk.npy -w 300 -o one-killed.npy
killed "${WAVEWARP_TEST_KILLS:-1}" killed.npy profile walk.npy -w 300
"$program" generate random-walk -n 300 -l 2500 --seed 7 --output walks.npy
ok "paths, one process" gives 0 path walks.npy walks.npy -m twed --precision double -o one-killed.npy
killed "${WAVEWARP_TEST_KILLS:-1}" killed.npy path walks.npy walks.npy -m twed --precision double
ok "classes, one process" gives 0 classify long.ts long.ts -m twed --precision double -k 2 --predictions one-killed.csv
killed "${WAVEWARP_TEST_KILLS:-1}" killed.csv classify long.ts long.ts -m twed --precision double -k 2
"$program" generate random-walk -n 300 -l 1000 --seed 7 --output walks.npy
ok "gradients, one process" gives 0 gradient walks.npy walks.npy --soft 1 --precision double -o one-killed.npy
killed "${WAVEWARP_TEST_KILLS:-1}" killed.npy gradient walks.npy walks.npy --soft 1 --precision double
"$program" generate random-walk -n 100000 -l 60 --seed 8 --output points.npy
ok "hashing, one process" gives 0 lsh points.npy -k 3 -w 20 -L 20 --path queries -o one-killed.csv
killed "${WAVEWARP_TEST_KILLS:-1}" killed.csv lsh points.npy -k 3 -w 20 -L 20 --path queries --tile 1000
ok "a line now and then" eval 'WAVEWARP_PROGRESS_SECONDS=0.001 of 2 0 matrix a.ts --tile 1 -o many.npy'
ok "says how much is done" grep -qE '^wavewarp-mpi: [0-9]+ %$' err
ok "a checkpoint that is not needed" of 2 0 matrix a.ts -o many.npy --checkpoint marks
printf 'damaged' >marks.0
ok "a damaged journal" of 2 1 matrix a.ts -o many.npy --checkpoint marks --resume
ok "is said once" said_once 'marks.0'
ok "a journal that is there" of 2 1 matrix a.ts -o many.npy --checkpoint marks
ok "is said once" said_once 'marks.0'
rm -f marks.*
ok "going on from nothing" of 2 2 matrix a.ts -o many.npy --resume
ok "outputs that can't be written" of 2 1 nearest a.ts -o no/folder/n.csv --checkpoint marks
ok "is said once" said_once 'no/folder/n.csv'
ok "what was computed stays" of 3 0 nearest a.ts -o many-n.csv --checkpoint marks --resume --json
ok "all of it" grep -q '"tiles_resumed": 40' out

# unlike A... B...: two ranks are started with unlike arguments, the first with $half of them.
unlike() {
    timeout 3000 "$mpirun" $oversubscribe -n 1 "$mpi" "${@:1:half}" : -n 1 "$mpi" "${@:half+1}" >out 2>err </dev/null
    [ $? -eq 1 ] && said_once 'on rank 0' && absent none.npy && absent none.npy.part
}
half=4
ok "another measure on one rank" unlike matrix a.ts -o none.npy matrix a.ts -o none.npy -m twed
ok "is told" said_once "'--measure twed'"
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
ok "is said once" said_once "the stream's content"
mpi=$aside
ok "nothing is written" eval 'absent none.npy && absent none.npy.npy.part'
ok "what a checkpoint begins with" of 3 1 matrix a.ts -o no/folder/none.npy --checkpoint marks
ok "is removed where nothing was done" test -z "$(ls | grep '^marks')"
ok "neighbours of one set" of 2 1 nearest a.ts -o no/folder/n.csv --checkpoint marks
ok "of another one, on more ranks" of 3 1 nearest b.ts -o none.csv --checkpoint marks
ok "only what was there stays" test "$(ls | grep '^marks' | tr '\n' ' ')" = "marks.0 marks.1 marks.npy.part "
rm -f marks.*
ok "one set, one process" gives 0 matrix a.ts -o one-m.npy
: >real.npy && ln -s real.npy link.npy
ok "to a link, with a checkpoint" of 2 0 matrix a.ts -o link.npy --checkpoint marks
ok "its file is written" eval 'cmp -s one-m.npy real.npy && test -L link.npy && absent real.npy.part'

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
ok "parts without their number" of 2 2 nearest a.ts --parts parts
ok "is said once" said_once '--count N'
ok "no folder for parts" of 2 1 nearest a.ts --parts no/folder --count 2
ok "is said once" said_once 'no/folder/'
ok "paths of unequal sets" of 3 1 path a.ts b.ts -o none.npy
ok "is said once" said_once 'one series on a side'
ok "no place for the classes" of 2 2 classify a.ts b.ts
ok "is said once" said_once 'needs --predictions'
ok "no place for the result" of 2 2 matrix a.ts
ok "is said once" said_once 'needs --output'
ok "no result" absent none.npy
ok "no part of one" absent none.npy.part
ok "help" of 2 0 matrix --help
ok "is printed once" test "$(grep -c '^Usage:' out)" -eq 1
finish
