# SPDX-License-Identifier: Apache-2.0
# Files that the program writes: never over another's, modes kept, links followed, all or none; and what an interrupt
# leaves behind: nothing.
. "$(dirname "$0")/tap.sh"
: >out >err
umask 022

mode() { [ "$(stat -c %a "$1")" = "$2" ]; }
is_link() { [ -L "$1" ]; }
holds() { [ "$(cat "$1")" = "$2" ]; }

"$program" generate cbf -n 40 -o train.ts && "$program" generate cbf -n 20 -s 2 -o test.ts || exit 1
printf '1,2\n3,4\n9,9\n' >points.csv

# ---- packed files, by every command that reads
if command -v gzip >/dev/null && "$program" convert train.ts - --to csv >plain.csv 2>err; then
    gzip -k train.ts test.ts points.csv plain.csv
    if "$program" convert train.ts.gz - --to csv >unpacked.csv 2>err; then
        ok "gzip around .ts" same plain.csv unpacked.csv
        ok "gzip on standard input" eval '"$program" convert - - --to csv <train.ts.gz >unpacked.csv && cmp plain.csv unpacked.csv'
        ok "gzip around .csv" eval '"$program" convert plain.csv.gz - --to csv >unpacked.csv && cmp plain.csv unpacked.csv'
        ok "a packed file beyond the limit" env WAVEWARP_UNPACK_LIMIT=1K bash -c '! "$0" convert train.ts.gz - >out 2>err' "$program"
        ok "the limit is named" says WAVEWARP_UNPACK_LIMIT
        ok "classify with packed files" gives 0 classify --train train.ts.gz --test test.ts.gz
        ok "knn with packed points" gives 0 knn points.csv.gz -k 2
    else
        ok "without zlib that is said" says zlib
    fi
fi

# ---- threads give the same
for threads in 1 2 5; do
    WAVEWARP_READ_THREADS=$threads "$program" convert train.ts "threads$threads.csv" 2>err
done
ok "one thread and two read the same" same threads1.csv threads2.csv
ok "one thread and five read the same" same threads1.csv threads5.csv

# ---- a planted link
echo precious >victim
plant() { # the names that a program of this process id might use
    ln -sf victim "$1.part-$BASHPID" && exec "$program" "${@:2}" >out 2>err </dev/null
}
ok "predictions over a planted link" eval '(plant p.tsv classify --train train.ts --test test.ts --predictions p.tsv)'
ok "the link's file is untouched" holds victim precious
rm -f p.tsv.part-*
ok "predictions are there" lines 21 p.tsv

# ---- modes and links
for file in a.ts m.npy p.tsv n.txt; do
    : >$file && chmod 600 $file
done
ok "convert over a file" gives 0 convert test.ts a.ts
ok "matrix over a file" gives 0 matrix test.ts -o m.npy
ok "classify over a file" gives 0 classify --train train.ts --test test.ts --predictions p.tsv
ok "nearest over a file" gives 0 nearest test.ts train.ts -o n.txt
for file in a.ts m.npy p.tsv n.txt; do
    ok "$file stays private" mode $file 600
    ok "$file is written" test -s $file
done
ok "a new file has the umask's mode" eval 'gives 0 convert test.ts new.ts && mode new.ts 644'
mkdir elsewhere && : >elsewhere/real.ts && ln -s elsewhere/real.ts link.ts && ln -s nowhere.ts dangling.ts
ok "over a link" gives 0 convert test.ts link.ts
ok "it stays a link" is_link link.ts
ok "its file is written" test -s elsewhere/real.ts
ok "over a link to nothing" gives 1 convert test.ts dangling.ts
ok "that is said" says "link to a file that is not there"
ok "nothing is made" absent nowhere.ts
ok "predictions over a link" gives 0 classify --train train.ts --test test.ts --predictions link.ts
ok "it is still a link" is_link link.ts
ok "no parts" no_leftovers
ok "no parts elsewhere" eval '! compgen -G "elsewhere/*.part-*"'
if command -v strace >/dev/null && strace -o trace true 2>/dev/null; then
    strace -f -o trace -e trace=fsync,rename "$program" convert test.ts synced.ts 2>err
    ok "file and folder are on disk around the renaming" \
        eval '[ "$(grep -oE "(fsync|rename)\(" trace | tr -d "\n")" = "fsync(rename(fsync(" ]'
fi

# ---- all or none
echo old >ids.txt
ok "the second file has no folder" gives 1 knn points.csv --ids ids.txt --distances none/d.txt
ok "the first is as it was" holds ids.txt old
"$program" knn points.csv -k 1 >wanted 2>err
"$program" knn points.csv -k 1 -o /dev/stdout 2>err | cat >piped
ok "a link to a pipe is written" cmp -s piped wanted
ok "the second can't be written" gives 1 knn points.csv --ids ids.txt --distances /dev/full
ok "the first is still as it was" holds ids.txt old
ok "the third can't be written" gives 1 knn points.csv --ids ids.txt --distances d.txt -o /dev/full
ok "the first two are not there" eval 'holds ids.txt old && absent d.txt'
ok "both" gives 0 knn points.csv --ids ids.txt --distances d.txt
ok "both are written" eval 'lines 3 ids.txt && lines 3 d.txt'
ok "no parts of them" no_leftovers

# ---- condensed, streamed
ok "condensed in memory" gives 0 matrix test.ts --condensed -o whole.npy
ok "condensed by blocks" env WAVEWARP_RESULT_BYTES=64 "$program" matrix test.ts --condensed -o blocks.npy
ok "the same" same whole.npy blocks.npy
ok "as text" gives 0 matrix test.ts --condensed -o whole.csv
ok "as text by blocks" env WAVEWARP_RESULT_BYTES=64 "$program" matrix test.ts --condensed -o blocks.csv
ok "the same text" same whole.csv blocks.csv

# ---- interrupts
"$program" generate random-walk -n 4000 -l 1000 -o large.ts 2>err
"$program" generate random-walk -n 3500 -l 4 -o many.csv 2>err
"$program" generate random-walk -n 300000 -l 4 -o pairs.npy 2>err

# stopped SIGNAL WANTED FILE ARGUMENT...: sends the signal as soon as FILE has a part. True when the program ends with
# WANTED and leaves neither FILE nor a part. One that had done its work before begins anew.
stopped() {
    local signal=$1 wanted=$2 file=$3 process got=0
    shift 3
    for _ in 1 2 3 4 5; do
        rm -f "$file"
        env --default-signal=INT,TERM,HUP "$program" "$@" >out 2>err </dev/null &
        process=$!
        until compgen -G "$file.part-*" >/dev/null; do
            kill -0 $process 2>/dev/null || break
            sleep 0.01
        done
        kill -s "$signal" $process 2>/dev/null
        wait $process
        got=$?
        [ $got -ne 0 ] && break
    done
    [ $got -eq "$wanted" ] && [ ! -e "$file" ] && ! compgen -G "$file.part-*" >/dev/null && return 0
    echo "# exit code $got, left: $(ls -- "$file"* 2>/dev/null | tr '\n' ' ')"
    return 1
}
ok "generate, SIGINT" stopped INT 130 big.ts generate random-walk -n 20000 -l 1000 -o big.ts
ok "generate, SIGTERM" stopped TERM 143 big.ts generate random-walk -n 20000 -l 1000 -o big.ts
ok "that is said" says "interrupted"
ok "convert, SIGINT" stopped INT 130 copy.ts convert large.ts copy.ts
ok "convert, SIGHUP" stopped HUP 129 copy.ts convert large.ts copy.ts
ok "matrix, SIGINT while it writes text" stopped INT 130 text.csv matrix many.csv -o text.csv
ok "matrix, SIGTERM while it computes" stopped TERM 143 values.npy matrix large.ts -o values.npy
ok "condensed, SIGINT" stopped INT 130 values.npy matrix large.ts --condensed -o values.npy
ok "pairs, SIGTERM while it writes" stopped TERM 143 text.csv pairs pairs.npy pairs.npy -o text.csv

# A driver's compiler may handle signals too, and lose its files: still an interrupt, not a failed build.
wrong=
for pause in 0.2 0.3 0.4 0.5; do
    mkdir fresh
    POCL_CACHE_DIR=$PWD/fresh env --default-signal=INT "$program" knn many.csv -k 50 >out 2>err </dev/null &
    process=$!
    sleep $pause
    kill -s INT $process 2>/dev/null
    wait $process
    got=$?
    [ $got -eq 130 ] || [ $got -eq 0 ] || wrong="$wrong $pause:$got"
    rm -rf fresh
done
ok "an interrupt while kernels are compiled:$wrong" test -z "$wrong"

# ---- a part that kill -9 left is mentioned at the next write, one that is being written is not
: >out
"$program" generate random-walk -n 20000 -l 1000 -o big.ts >killed.out 2>killed.err </dev/null &
process=$!
until compgen -G 'big.ts.part-*' >/dev/null; do
    kill -0 $process 2>/dev/null || break
    sleep 0.01
done
kill -STOP $process 2>/dev/null
part=$(compgen -G 'big.ts.part-*')
ok "a part of a process that lives" test -n "$part"
ok "a write beside it" gives 0 generate cbf -n 2 -o big.ts
ok "says nothing of it" test ! -s err
kill -KILL $process 2>/dev/null
wait $process 2>/dev/null
ok "after kill -9 it is still there" test -e "$part"
ok "a write to the same place" gives 0 generate cbf -n 2 -o big.ts
ok "names it once" test "$(grep -cF "wavewarp: note: $PWD/$part was left by a run that did not end; it can be deleted" err)" = 1
ok "says no more" lines 1 err
ok "leaves it" test -e "$part"
: >other.ts.part-1-2x && : >big.ts.part-x-1 && mkdir big.ts.part-1-1 && ln -s victim big.ts.part-1-2
ok "in the folder of another name" eval 'mkdir apart && mv "$part" apart && gives 0 generate cbf -n 2 -o ./apart/other.ts'
ok "it is of no interest" test ! -s err
ok "in its folder" gives 0 generate cbf -n 2 -o apart/big.ts
ok "it is found" says "apart/$part was left"
ok "names that are no parts" gives 0 generate cbf -n 2 -o big.ts
ok "are not mentioned" test ! -s err
rm -rf apart ./*.part-*

# At any time: a file that is there is whole. An interrupt may come when it has its name and its folder is not on disk yet,
# which takes long on a busy disk: then the program ends by the signal and leaves a whole file.
"$program" convert large.ts whole.ts 2>err
early=0 wrong=
for pause in 0 0.02 0.05 0.1 0.2 0.4 0.8; do
    rm -f copy.ts
    env --default-signal=INT "$program" convert large.ts copy.ts >out 2>err </dev/null &
    process=$!
    sleep $pause
    kill -s INT $process 2>/dev/null
    wait $process
    got=$?
    [ $got -ne 130 ] || early=$((early + 1))
    [ $got -eq 130 ] || { [ $got -eq 0 ] && [ -e copy.ts ]; } || wrong="$wrong $pause:$got"
    [ ! -e copy.ts ] || same whole.ts copy.ts || wrong="$wrong $pause:torn"
    no_leftovers || wrong="$wrong $pause:left"
    rm -f ./*.part-*
done
ok "convert at any time:$wrong" test -z "$wrong"
ok "some of these were ended" test $early -gt 0

finish
