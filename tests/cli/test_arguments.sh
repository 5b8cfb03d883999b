# SPDX-License-Identifier: Apache-2.0
# Command lines where no device is needed: short options in one word, options that a command has no use for, bands,
# numbers of bytes, text that could steer a terminal.
here=$(realpath "$(dirname "$0")")
. "$here/tap.sh"
: >out >err

escape=$(printf '\033')
no_escape() { ! grep -q "$escape" "$1"; }

# ---- short options
ok "flags and a value in one word" gives 0 generate cbf -zn3 -o a.ts
ok "the same apart" gives 0 generate cbf --znorm --count 3 -o b.ts
ok "are the same" cmp -s a.ts b.ts
ok "the value may be the next word" gives 0 generate cbf -zn 3 -o c.ts
ok "is the same too" cmp -s a.ts c.ts
ok "a flag behind a flag" gives 0 generate cbf -jzn3 -oc.ts
ok "did both" prints '"znorm": true'
ok "an unknown letter behind a flag" gives 2 generate cbf -zQ
ok "is named" says "unknown option '-Q'"
ok "a value that is missing" gives 2 generate cbf -zn
ok "names its option" says "--count needs a value (N)"

# ---- the order of the arguments
for command in nearest knn; do
    ok "help of $command" gives 0 "$command" --help
    ok "queries come first in $command" prints "Usage: wavewarp $command QUERIES [BASE]"
done
ok "help of lsh" gives 0 lsh --help
ok "queries come first in lsh" prints "Usage: wavewarp lsh [QUERIES] [BASE]"
"$program" classify --help >out
ok "the training set comes first in classify" prints "Usage: wavewarp classify TRAIN TEST"

# ---- every command is in the man page and in docs/cli.md
docs=$here/../../docs
described() { grep -EB1 "^\.(B|BI) $1( |\$)" "$docs/wavewarp.1" | grep -q '^\.TP$' && grep -qE "^\| \`$1[ \`]" "$docs/cli.md"; }
ok "the overview" gives 0 --help
for command in $(sed -n 's/^  \([a-z]*\) .*/\1/p' out); do
    ok "$command is described" described "$command"
done

# ---- options that are of no use
for command in knn lsh; do
    ok "$command has no engine" gives 2 "$command" --engine lanes a
    ok "that is said" says "unknown option '--engine'"
done
ok "tables beside a recall" gives 2 lsh --recall 0.9 --tables 3 a
ok "that is said" says "--tables is of no use with --recall"
ok "probes beside a recall" gives 2 lsh --recall 0.9 --probes 3 a
ok "functions beside an index" gives 2 lsh --load index --functions 3
ok "that is said" says "--functions is of no use with --load"
ok "a seed beside an index" gives 2 lsh --load index --seed 3
ok "a base beside an index" gives 2 lsh --load index a b
ok "a width for bits" gives 2 lsh -m hamming --width 2 a
ok "that is said" says "--width is of no use with --metric hamming"
ok "more neighbours than can be" gives 1 lsh -k 1025 a
ok "names the most" says "k is 1025; it can be 1 to 1024"
for command in generate convert; do
    operand=cbf
    [ "$command" = convert ] && operand="a.ts -"
    # shellcheck disable=SC2086
    ok "$command: JSON and series can't both be printed" gives 2 "$command" $operand --json
done
ok "two things on standard output" gives 2 nearest a --json -o -
ok "that is said" says "both write to standard output"
ok "two outputs of one name" gives 2 knn points.csv --ids same.txt --distances same.txt
ok "are named" says "--ids and --distances both write to same.txt"
# ---- one file under two names
"$program" generate cbf -n 6 -o here.ts && "$program" generate cbf -n 4 -s 2 -o there.ts || exit 1
cp here.ts keep.ts
mkdir -p folder/inner && ln -s folder link && ln -s "$PWD" around
: >there.txt && ln there.txt hard.txt && ln -s there.txt soft.txt
for two in 'm.txt ./m.txt' 'm.txt folder/../m.txt' "m.txt $PWD/m.txt" 'm.txt around/m.txt' 'folder/m.txt link/m.txt' \
    'folder/inner/../m.txt folder//m.txt' 'there.txt hard.txt' 'there.txt soft.txt' 'there.txt ./soft.txt' 'm.txt M.txt'; do
    # shellcheck disable=SC2086
    set -- $two
    ok "two outputs in one file: $two" gives 2 knn points.csv --ids "$1" --distances "$2"
    ok "that is said" says "--ids and --distances both write to $2"
    ok "of a matrix and a picture: $two" gives 2 path here.ts there.ts -o "$1" --svg "$2"
done
for line in 'path a b -o m.json --svg ./m.json' 'cluster here.ts -k 2 -o c.txt --merges ./c.txt' \
    'cluster here.ts -k 2 --centres c.ts --svg ././c.ts' 'average here.ts -o c.ts --svg ./c.ts' \
    'profile here.ts --window 9 -o c --svg ./c' 'shapelets fit here.ts -o c --svg ./c' \
    'shapelets fit here.ts -o c --checkpoint ./c' 'lsh here.ts --evaluate --save c --svg ./c' \
    'gradient here.ts there.ts -o g.npy --expected-alignment ./g.npy' 'nearest here.ts -o c --ids ./c' \
    'nearest here.ts --ids c --distances ./c'; do
    # shellcheck disable=SC2086
    ok "$line" gives 2 $line
    ok "that is said" says "both write to"
done
ok "an output over what is read" gives 2 matrix here.ts -o ./here.ts
ok "that is said" says "--output would replace ./here.ts, which is read"
ok "predictions over the training set" gives 2 classify here.ts there.ts --predictions around/here.ts
ok "a picture over the series" gives 2 cluster here.ts -k 2 --svg here.ts
ok "what was read is there" cmp -s here.ts keep.ts
ok "convert in place" gives 0 convert here.ts ./here.ts --znorm
ok "generate into the name of its kind" gives 0 generate cbf -n 3 -o cbf --to ts
ok "and again" gives 0 generate cbf -n 3 -o cbf --to ts
ok "an output on a device" gives 0 generate cbf -n 3 -o /dev/null --to ts

# ---- what was meant
ok "euclidean" gives 2 matrix -m euclidean here.ts
ok "says what to use" says "it is -m dtw --band sakoe-chiba:0 --root"
for name in soft-dtw softdtw soft_dtw; do
    ok "$name" gives 2 matrix -m $name here.ts
    ok "says what to use" says "it is -m dtw --soft GAMMA"
done
ok "a band without its kind" gives 2 matrix --band 10% here.ts
ok "says which" says "give sakoe-chiba:10%"
ok "points without a kind" gives 2 matrix --band 5 here.ts
ok "says which" says "give sakoe-chiba:5"
ok "classify needs two files" gives 2 classify here.ts
ok "that is said" says "TRAIN and TEST are needed"
ok "classify with three" gives 2 classify --train here.ts there.ts there.ts
ok "that is said" says "one file too many"
ok "a set beyond the memory" gives 1 generate cbf -n 2147483648 -o large.ts
ok "that is said" says "do not fit this machine's memory"

for two in 'classify --train a --test b --json --predictions -' 'matrix a --json -o -' 'path a b --json -o -' \
    'cluster a -k 2 --json --merges -' 'cluster a -k 2 -o - --merges -' 'average a -o - --svg -' 'lsh a --json --ids -' \
    'profile a --window 9 --json --svg -' 'shapelets fit a -o - --json' 'gradient a b --json -o -'; do
    # shellcheck disable=SC2086
    ok "$two" gives 2 $two
    ok "why" says "both write to standard output"
done
for two in 'pairs - -' 'matrix - -' 'path - -' 'gradient - -' 'profile - - --window 9' 'nearest - -' 'knn - -' 'lsh - -' \
    'choose - -' 'search - --in -' 'search a - -' 'average - --weights - --json' 'knn - --classes -' \
    'shapelets predict - -' 'cluster - -k 2 --times -'; do
    # shellcheck disable=SC2086
    ok "$two" gives 2 $two
    ok "why" says "both read standard input"
done
for none in 'lsh a --save -' 'lsh --load - a' 'shapelets fit a -o b --checkpoint -' 'pairs a b --tuning -' \
    'gradient a b --expected-alignment -'; do
    # shellcheck disable=SC2086
    ok "$none" gives 2 $none
    ok "why" says "needs a file; '-' is none"
done

# ---- bands
for width in 0.1 2.9; do
    for kind in sakoe-chiba corner; do
        ok "$kind:$width" gives 2 matrix a --band $kind:$width
        ok "a percentage is named" says "such as $kind:10%"
    done
done
ok "more than all" gives 2 matrix a --band corner:101%
ok "less than nothing" gives 2 matrix a --band corner:-1%
ok "no number of percent" gives 2 matrix a --band corner:x%
ok "percent of nothing" gives 2 matrix a --band corner:%
ok "slanted takes a fraction" gives 2 matrix a --band slanted:10%
ok "that is said" says "a percentage is for sakoe-chiba and corner"

# ---- bytes
for bytes in "1 " "1" "1k" "1KiB"; do
    code=1
    [ "$bytes" = "1 " ] && code=2
    ok "--max-bytes '$bytes'" gives $code matrix none.csv --max-bytes "$bytes"
done
ok "--max-bytes '1 M'" gives 2 matrix none.csv --max-bytes "1 M"

# ---- text that could steer a terminal
evil=$(printf 'a\033]0;evil\007\302\233b')
ok "a file's name" gives 1 matrix "$evil"
ok "has no escape sequence" no_escape err
ok "but its bytes" says 'a\x1b]0;evil\x07\xc2\x9bb'
ok "an argument" gives 2 matrix a --measure "$evil"
ok "has no escape sequence" no_escape err
ok "an option" gives 2 matrix "--$evil"
ok "has no escape sequence" no_escape err
ok "letters of other scripts stay" gives 1 matrix "$(printf 'Gr\303\274\303\237e')"
ok "as they are" says "$(printf 'Gr\303\274\303\237e')"
ok "a byte that is not UTF-8" gives 1 matrix "$(printf 'Gr\374n')"
ok "is shown by its number" says 'Gr\xfcn'
# ---- the tables of options as a manual page and for shells
"$program" --help-commands >commands 2>err
ok "the commands for shells" test "$(wc -l <commands)" -ge 13
page_is_right() {
    ! command -v man >/dev/null || [ -z "$(LC_ALL=C MANROFFSEQ='' man --warnings -l out 2>&1 >/dev/null)" ]
}
# The bench is another program, which need not be built.
with_bench() { [ -x "$(dirname "$program")/../bench/wavewarp-bench" ]; }
for command in $(cut -f1 commands); do
    [ "$command" != bench ] || with_bench || continue
    ok "the manual page of $command" gives 0 "$command" --help-manual
    ok "has its name" prints "wavewarp\-$command \- "
    ok "has no warnings" page_is_right
    ok "the options of $command for shells" gives 0 "$command" --help-options
    ok "are five fields a line" awk -F'\t' 'NF != 5 { exit 1 }' out
done
if [ -n "$BASH_VERSION" ]; then
    # completes WORD...: what bash would offer for the last word.
    completes() {
        COMP_WORDS=("$program" "$@")
        COMP_CWORD=$#
        _wavewarp
        printf '%s\n' "${COMPREPLY[@]}" >out
    }
    . "$here/../../cli/completion/wavewarp.bash"
    completes ne
    ok "bash completes a command" test "$(cat out)" = nearest
    completes nearest --no-b
    ok "bash completes an option" test "$(cat out)" = --no-bounds
    completes nearest --precision d
    ok "bash completes a choice" test "$(cat out)" = double
    touch some_file
    completes nearest some
    ok "bash completes a file" test "$(cat out)" = some_file
    if with_bench; then
        completes bench --engine st
        ok "bash completes the bench by its command" test "$(tr '\n' ' ' <out)" = "strips "
        COMP_WORDS=("$(dirname "$program")/../bench/wavewarp-bench" --target-s) COMP_CWORD=1
        _wavewarp_bench
        ok "bash completes the bench by itself" test "${COMPREPLY[*]}" = --target-seconds
    fi
fi

finish
