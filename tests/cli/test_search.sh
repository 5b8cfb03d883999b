# SPDX-License-Identifier: Apache-2.0
# Searches by the program: files of series, of plain numbers, a pipe, refusals.
. "$(dirname "$0")/tap.sh"
: >out >err

needs_device

# The query twice in the stream: moved and made three times as large; and as it is.
printf '1,5,2,8,3,9\n' >query.csv
printf '0,1,0,1,0,103,115,106,124,109,127,1,0,1,0,0,1,5,2,8,3,9,0,0,1,1\n' >stream.csv
tr ',' '\n' <stream.csv >points.txt

printf '0\t0\t5\t11\t0\n0\t0\t16\t22\t0\n' >wanted
ok "z-normalised windows" gives 0 search query.csv --in stream.csv --znorm --k 2 --band sakoe-chiba:1 --precision double
# Which of two that are 0 but for rounding comes first is the device's.
awk -F'\t' '{ printf "%s\t%s\t%s\t%s\t%.0f\n", $1, $2, $3, $4, $5 * 1e6 }' out | sort -k3n >rounded
ok "both are found" cmp -s rounded wanted
printf '0\t0\t16\t22\t0\n' >wanted
ok "windows as they are" gives 0 search query.csv --in stream.csv --kind windows
ok "one is found" cmp -s out wanted
ok "open ends" gives 0 search query.csv --in stream.csv
ok "the same one" cmp -s out wanted
ok "without bounds" gives 0 search query.csv --in stream.csv --kind windows --no-bounds
ok "the same again" cmp -s out wanted
ok "two queries of two files, two streams" gives 0 search query.csv query.csv --in query.csv --in stream.csv -k 2
printf '0\t0\t0\t6\t0\n0\t1\t16\t22\t0\n1\t0\t0\t6\t0\n1\t1\t16\t22\t0\n' >wanted
ok "ties by the lower stream" cmp -s out wanted
ok "streams in the query" gives 0 search stream.csv --in query.csv --kind super
printf '0\t0\t16\t22\t0\n' >wanted
ok "the same place" cmp -s out wanted
ok "json" gives 0 search query.csv --in stream.csv --json
ok "json says the kind" prints '"kind": "open", "k": 1'
ok "json has matches" prints '{"stream": 0, "begin": 16, "end": 22, "distance": 0}'
ok "more wanted than there are" gives 0 search query.csv --in query.csv --kind windows -k 5
ok "only one" test "$(wc -l <out)" = 1
ok "a query longer than its stream" gives 0 search stream.csv --in query.csv --kind windows
ok "has no match" test ! -s out

# ---- plain numbers
if command -v python3 >/dev/null 2>&1; then
    python3 -c 'import struct,sys; v = [float(x) for x in open("stream.csv").read().split(",")]
open("stream.f32", "wb").write(struct.pack("<%df" % len(v), *v)); open("odd.f64", "wb").write(b"12345")'
    ok "a file of floats" gives 0 search query.csv --in stream.f32
    ok "finds the same" cmp -s out wanted
    ok "a file with half a number" gives 1 search query.csv --in odd.f64
    ok "is named" says 'odd.f64: its size'
fi

# ---- a pipe
"$program" search query.csv --in - --threshold 0.5 <points.txt >out 2>err
ok "a pipe" cmp -s out wanted
# A first line of names: columns by name or number, the time's left out, dates between the values.
(echo 'when,temp,x'; sed 's/.*/2024-01-01 10:00,&,7/' points.txt) >table.csv
for columns in temp 2; do
    "$program" search query.csv --in - --threshold 0.5 --columns $columns <table.csv >out 2>err
    ok "a heading in a pipe, column $columns" cmp -s out wanted
done
"$program" search query.csv --in - --threshold 0.5 --columns temp <table.csv >out 2>err
cut -d, -f1,2 table.csv | sed '1s/when/time/' | "$program" search query.csv --in - --threshold 0.5 >out 2>err
ok "the time is no channel" cmp -s out wanted
"$program" search query.csv --in - --threshold 0.5 <table.csv >out 2>err
ok "more columns than channels" test $? -eq 1
ok "names the option" says '--columns'
"$program" search query.csv --in - --threshold 0.5 --columns hum <table.csv >out 2>err
ok "a column that there is not" test $? -eq 1
ok "is named" says "no column 'hum'"
(head -n 3 table.csv; echo '2024-01-01,warm,7') | "$program" search query.csv --in - --threshold 0.5 --columns temp >out 2>err
ok "a field that is no number" test $? -eq 1
ok "is named with its line" says "line 4: 'warm'"
(cat points.txt; sleep 0.1; cat points.txt) | "$program" search query.csv --in - --threshold 0.5 >out 2>err
printf '0\t0\t16\t22\t0\n0\t0\t42\t48\t0\n' >wanted
ok "a pipe that stalls" cmp -s out wanted
printf '1\n5\nx\n' | "$program" search query.csv --in - --threshold 0.5 >out 2>err
ok "what is no number" test $? -eq 1
ok "names its line" says 'line 3'
printf '1\n5\0 \n2\n' | "$program" search query.csv --in - --threshold 0.5 >out 2>err
ok "a zero byte in a line" test $? -eq 1
ok "is no end of the line" says 'line 2'
printf '' | "$program" search query.csv --in - --threshold 0.5 >out 2>err
ok "an empty pipe" test $? -eq 0

# What a broken writer leaves: the last line has no end, and is a point all the same.
(head -n 21 points.txt; printf '9') | "$program" search query.csv --in - --threshold 0.5 >out 2>err
printf '0\t0\t16\t22\t0\n' >wanted
ok "a pipe that breaks in a line" cmp -s out wanted
printf '1\n5\n2\n' | "$program" search query.csv --in - --threshold 0.5 >out 2>err
ok "a pipe that ends in a window" test $? -eq 0
ok "has no match" test ! -s out
(head -n 18 points.txt; echo nan; tail -n +20 points.txt) | "$program" search query.csv --in - --threshold 0.5 >out 2>err
ok "a missing point in a pipe" test $? -eq 0
ok "is in no match" test ! -s out
(cat points.txt; cat points.txt; sleep 1; cat points.txt) | "$program" search query.csv --in - --threshold 0.5 2>err | head -n 1 >out
ok "a reader that leaves has what was certain" cmp -s out wanted
"$program" search query.csv --in - --threshold 0.5 <&- >out 2>err
ok "a closed standard input" test $? -eq 1
ok "is said" says "standard input can't be read"

# ---- files that have nothing, or the wrong thing
: >empty.csv
: >empty.f32
printf '1,nan,2,8,3,9\n' >hole.csv
ok "an empty file of queries" gives 1 search empty.csv --in stream.csv
ok "an empty stream" gives 1 search query.csv --in empty.csv
ok "an empty file of numbers" gives 1 search query.csv --in empty.f32
ok "is said to be empty" says 'empty.f32: no points'
ok "a missing point in a query" gives 1 search hole.csv --in stream.csv
ok "names the place" says 'missing value at position 1'
ok "a missing point in a stream" gives 0 search query.csv --in hole.csv --kind windows
ok "is in no match there" test ! -s out
mkdir folder.f32
ok "a folder as a stream" gives 1 search query.csv --in folder.f32
mkfifo pipe.f32
printf '12345678' >pipe.f32 &
ok "a pipe as a file of numbers" gives 1 search query.csv --in pipe.f32
wait
ok "is told from one of an odd size" says 'pipe.f32: plain numbers are read from a file'
ok "relaxation beyond the length" gives 0 search query.csv --in stream.csv --relax 99,99,all,all

# ---- a query longer than every stream
ok "query and stream exchanged" gives 0 search stream.csv --in query.csv
ok "are noticed" says 'longer than every stream'
ok "as they should be" gives 0 search query.csv --in stream.csv
ok "nothing is said" bash -c '! grep -q note err'
ok "streams in queries" gives 0 search stream.csv --in query.csv --kind super
ok "nothing is said" bash -c '! grep -q note err'

# ---- streams far from 0: a query planted in one, whose digits float does not hold
if python3 -c '
import math, struct
v = [5400000 + 0.005 * (math.sin(t * t * 0.37) + math.cos(t * 1.3)) for t in range(900)]
open("far.f64", "wb").write(struct.pack("<900d", *v)); open("far.txt", "w").write("".join("%.6f\n" % x for x in v))
open("near.csv", "w").write(",".join("%.8f" % (x - 5400000) for x in v[400:420]) + "\n")' 2>/dev/null; then
    "$program" search near.csv --in far.f64 --kind windows --znorm >out 2>err
    ok "plain doubles that float does not hold are searched in double" grep -q '^0	0	400	420	[0-9.]*e-' out
    ok "and it is said, once" bash -c '[ "$(grep -c far.f64 err)" = 1 ] && [ "$(wc -l <err)" = 1 ]'
    "$program" search near.csv --in far.f64 --kind windows --znorm --precision float >out 2>err
    ok "float is taken where it is asked for" bash -c '! grep -q "	400	420	" out'
    ok "and said, once" bash -c '[ "$(wc -l <err)" = 1 ]'
    "$program" search near.csv --in - --threshold 0.001 --znorm <far.txt >out 2>err
    ok "what is followed is searched in double" grep -q '^0	0	400	420	' out
fi

# ---- refusals
ok "no stream" gives 2 search query.csv
ok "says what is missing" says 'in STREAM'
ok "normalised windows that are asked for as matches of any length" gives 2 search query.csv --in stream.csv --znorm --kind open
ok "a band with open ends" gives 1 search query.csv --in stream.csv --band sakoe-chiba:1
ok "msm with open ends" gives 0 search query.csv --in stream.csv --measure msm
ok "a measure that open ends mean nothing to" gives 1 search query.csv --in stream.csv --measure twed
ok "says why" says "how far it is from the match's begin"
ok "a file that is not there" gives 1 search query.csv --in nothing.csv
ok "points with their neighbours" gives 0 search query.csv --in stream.csv --embed 1
ok "but of no stream that is followed" eval 'gives 2 search query.csv --in - --threshold 1 --embed 1 </dev/null && says "--embed needs streams that are read as a whole"'
ok "nor of numbers alone" gives 2 search query.csv --in numbers.f32 --embed 1
ok "k 0" gives 2 search query.csv --in stream.csv -k 0
ok "a k beyond all memory" gives 1 search query.csv --in stream.csv -k 18446744073709551615
ok "says how large it may be" says 'k is 18446744073709551615; it can be 1 to 4096'
finish
