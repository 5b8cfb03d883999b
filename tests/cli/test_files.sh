# SPDX-License-Identifier: Apache-2.0
# The program where no device is needed: help, wrong use, files.
. "$(dirname "$0")/tap.sh"
: >out >err

# ---- help and version
ok "version" gives 0 --version
ok "version is printed" prints "wavewarp "
ok "help" gives 0 --help
ok "help without dashes" gives 0 help
ok "nothing at all is wrong use" gives 2
for command in classify matrix pairs nearest devices measures generate convert; do
    ok "$command --help" gives 0 "$command" --help
    ok "$command --help shows the usage" prints "Usage: wavewarp $command"
    ok "$command --help fits 80 columns" eval "! sed 1d out | grep -q '.\{81\}'"
    ok "help $command" gives 0 help "$command"
done

# ---- wrong use
ok "unknown command" gives 2 clasify
ok "a near command is named" says "did you mean 'classify'"
ok "unknown help" gives 2 help nothing
ok "unknown option" gives 2 matrix --mesure dtw a
ok "a near option is named" says "did you mean '--measure'"
ok "unknown short option" gives 2 matrix -x a
ok "option without its value" gives 2 matrix a --band
ok "flag with a value" gives 2 matrix a --root=1
ok "too many operands" gives 2 matrix a b c
ok "too few operands" gives 2 pairs a
ok "a number that is none" gives 2 nearest a -k five
ok "a number too small" gives 2 nearest a -k 0
ok "a number too large" gives 2 nearest a -k 99999999999999999999999
ok "bytes that are none" gives 2 matrix a --max-bytes 12Q
ok "bytes beyond 64 bits" gives 2 matrix a --max-bytes 99999999999T
ok "unknown choice" gives 2 matrix a --precision half
ok "choices are named" says "float, double"
ok "unknown measure" gives 2 matrix a --measure dwt
ok "a near measure is named" says "did you mean 'dtw'"
ok "a measure cut short" gives 2 matrix a --measure lev
ok "the whole name is named" says "did you mean 'levenshtein'"
ok "unknown band" gives 2 matrix a --band sakoe:3
ok "band without a width" gives 2 matrix a --band corner
ok "negative band" gives 2 matrix a --band corner:-1
ok "band that is no number" gives 2 matrix a --band corner:x
ok "two costs" gives 2 matrix a --cost squared --cost-expr x
ok "parameter without a value" gives 2 matrix a --param g
ok "unknown parameter" gives 1 matrix a --measure twed --param nothing=1
ok "the measure's parameters are named" says "nu, lambda, degree, no_root"
ok "a parameter of a measure that has none" gives 1 matrix a --param g=1
ok "that is said" says "it has none"
ok "parameter out of range" gives 1 matrix a --measure msm --param c=-1
ok "the range is named" says "from 0 to 1e+30"
ok "independent and dependent" gives 2 matrix a --independent --dependent
ok "three files of time stamps" gives 1 matrix a --times a --times b --times c
ok "classify without files" gives 2 classify --train a
ok "classify with three files" gives 2 classify --train a b c
ok "standard input twice" gives 2 classify --train - --test -
ok "condensed of two sets" gives 2 matrix a b --condensed
ok "unknown generator" gives 2 generate cfb
ok "generators are named" says "two-patterns"

# ---- measures
ok "measures" gives 0 measures
ok "measures has dtw" prints "dtw"
for measure in frechet adtw wdtw ddtw wddtw erp edr lcss msm twed levenshtein lcs; do
    ok "measures has $measure" grep -q "^$measure " out
done
ok "levenshtein is a metric" grep -qE '^levenshtein +distance +yes +yes' out
ok "lcs is a similarity" grep -qE '^lcs +similarity' out
ok "measures NAME" gives 0 measures twed
ok "a parameter with its default and range" prints "--param nu=0.001  stiffness: cost of a unit of time; 0 to 1e+30"
ok "the formula" prints "formula     D = min("
ok "no other measure" lines 14 out
ok "measures NAME that there is none of" gives 2 measures twde
ok "a near one is named" says "did you mean 'twed'"
ok "measures NAME --json" gives 0 measures msm --json
ok "an array of one" grep -q '^{"name": "msm".*}]}$' out
ok "measures --json" gives 0 measures --json
ok "measures --json has frechet" prints '"name": "frechet"'

# ---- generate and convert
ok "generate" gives 0 generate cbf --count 6 --seed 7 -o a.ts
ok "generate again" gives 0 generate cbf -n 6 -s7 --output=b.ts
ok "the same seed gives the same file" cmp -s a.ts b.ts
ok "generate to standard output" gives 0 generate cbf -n 6 -s 7
ok "the same there" cmp -s a.ts out
ok "generate a mix" gives 0 generate sine -n 5 -l 10 --max-length 30 --channels 2 -o mix.ts
ok "convert to tsv" gives 0 convert a.ts a.tsv --precision float
ok "and back" gives 0 convert a.tsv c.ts --precision float
ok "nothing was lost" cmp -s a.ts c.ts
ok "convert to npy" gives 0 convert a.ts a.npy
ok "convert to csv" gives 0 convert a.npy a.csv --precision float
ok "csv has a line a series" lines 6 a.csv
printf '1,2,4\n3,8,9\n' >shapes.csv
ok "points with their neighbours" gives 0 convert shapes.csv shapes.ts --embed 1 --labels none --rows series
ok "are channels" grep -q "1.*,1.*,2.*:1.*,2.*,4.*:2.*,4.*,4" shapes.ts
ok "distances of shapes" gives 0 matrix shapes.csv --embed 1 --labels none --rows series --precision double -o shapes.m
ok "from a file of shapes" gives 0 matrix shapes.ts --precision double -o file.m
ok "are the same" cmp -s shapes.m file.m
ok "a reach too far" gives 1 matrix shapes.csv --embed 4611686018427387904 --labels none --rows series
ok "it is named" says "makes too many channels"
ok "no reach" gives 2 matrix shapes.csv --embed -1
ok "npy can't hold a mix" gives 1 convert mix.ts mix.npy
ok "csv can't hold channels" gives 1 convert mix.ts mix.csv
ok "no such format" gives 1 convert a.ts a.xyz
ok "no such folder" gives 1 convert a.ts none/a.ts
ok "no such file" gives 1 convert none.ts a2.ts
ok "the file is named" says "none.ts"
: >empty.ts
ok "empty file" gives 1 convert empty.ts a2.ts
printf '1\t2\t3\n1\t2\tx\n' >bad.tsv
ok "bad number" gives 1 convert bad.tsv a2.ts
ok "its place is named" says "bad.tsv:2:5"
head -c 200 a.npy >cut.npy
ok "truncated npy" gives 1 convert cut.npy a2.ts
printf '1,2,?\n1,?,3\n' >gap.csv
ok "missing values can be converted" gives 0 convert gap.csv gap.ts
ok "but not z-normalised" gives 1 convert gap.csv a2.ts --znorm
ok "the series is named" says "series 1 has a missing value at position 1"

# ---- time stamps
printf '@timeStamps true\n@classLabel true a\n@data\n(0,1),(0.5,2),(0.5,3):a\n(7,4):a\n' >stamped.ts
ok "time stamps are read" gives 0 convert stamped.ts stamped2.ts
ok "and written" grep -qF '(0,1),(0.5,2),(0.5,3):a' stamped2.ts
ok "a file of none" gives 0 convert stamped.ts stamped.csv
ok "that is said" says "time stamps are dropped"
ok "has the values alone" grep -qx '1,2,3' stamped.csv
ok "so are the labels" says "labels are dropped"
printf '0,0.5,0.5\n7\n' >times.csv
ok "time stamps beside the data" gives 0 convert stamped.csv back.ts --times times.csv
ok "are the same" grep -qF '(0,1),(0.5,2),(0.5,3)' back.ts
printf '0,0.5,0.25\n7\n' >times.csv
ok "time stamps that decrease" gives 1 convert stamped.csv a2.ts --times times.csv
ok "their place is named" says "times.csv:1:7"
printf 'when,who,x,y\n2024-01-01,a,1,2\n2024-01-02,a,3,4\n2024-01-03,b,5,6\n' >points.csv
ok "a point a line" gives 0 convert points.csv points.ts --time-column when --series-column who
ok "two series" grep -qx '(1704067200,1),(1704153600,3):(1704067200,2),(1704153600,4)' points.ts
ok "columns by number" gives 0 convert points.csv points2.ts --time-column 1 --series-column 2
ok "the same by number" cmp -s points.ts points2.ts
ok "no such column" gives 1 convert points.csv a2.ts --time-column then
ok "its name is named" says "no column named 'then'"
ok "a column in a file of another kind" gives 1 convert stamped.ts a2.ts --format ts --time-column when

# ---- files that look like something else
# is WHAT: what 'info' says of how a file was taken.
is() { prints "$1"; }
one_note() { [ "$(grep -c '^wavewarp: note: ' err)" -eq 1 ] && says "(settled by $1"; }
no_note() { ! grep -q 'settled by' err; }
printf 'timestamp,value,is_anomaly\n' >log.csv
awk 'BEGIN { for (i = 0; i < 40; i++) print i "," sin(i) "," (i == 20) }' >>log.csv
ok "a table of points" gives 0 convert log.csv log.ts
ok "is one series of one channel" grep -qx '@dimensions 1' log.ts
ok "with all its points" grep -q '^(0,0),.*(39,' log.ts
ok "that is said in one line" one_note "--rows series or points; --columns"
ok "its options" gives 0 convert log.csv log2.ts --time-column timestamp --columns value
ok "are without a note" no_note
ok "and give the same" cmp -s log.ts log2.ts
ok "as series" gives 0 convert log.csv log3.ts --rows series
ok "without a note" no_note
ok "are 40" test "$(grep -vc '^@' log3.ts)" -eq 40
ok "info" gives 0 info log.csv
ok "says the rows" is "csv, a point a line"
ok "says the heading" is "timestamp,value,is_anomaly"
ok "says the columns" is "3, time stamps in column 1, 1 left out"
ok "says the lengths" is "least 40, median 40, most 40"
ok "says the times" is "0 to 39"
ok "says what is not certain" is "(settled by --columns)"
ok "says the jobs" is "a stream for search and profile: 40 points"
ok "info --json" gives 0 info log.csv --json
ok "has the same" is '"rows": "points", "axes": null, "heading": "timestamp,value,is_anomaly", "columns": 3'
printf ',Quarter,a,b\n0,1970 Q1,0.5,1\n1,1970 Q2,1.5,2\n2,1970 Q3,2.5,3\n' >quarters.csv
ok "dates behind an index" gives 0 convert quarters.csv quarters.ts
ok "are time stamps" grep -q '^(0,0.5),(7776000,1.5),' quarters.ts
ok "with two channels" grep -qx '@dimensions 2' quarters.ts
printf '0.5\n1.5\n2.5\n' >column.csv
ok "one value a line" gives 0 convert column.csv column.ts
ok "is one series" grep -qx '0.5,1.5,2.5' column.ts
ok "that is said" one_note "--rows series or points"
ok "a time stamp's column of one" gives 1 convert column.csv a2.ts --time-column 1
ok "is explained" says "a file of one column has its values there"
printf '1.5e-01 2.5e-01 1.0e+00\n7.5e-01 1.0e+00 2.0e+00\n' >saved.txt
ok "numpy.savetxt" gives 0 convert saved.txt saved.ts
ok "keeps its first column" grep -qx '0.75,1,2' saved.ts
ok "that is said" one_note "--labels"
ok "labels first" gives 0 convert saved.txt saved.ts --labels first
ok "takes it as the label" grep -qx '1,2:0.75' saved.ts
printf '0,1,2,3\n0.5,1.5,2.5,3.5\n' >frame.csv
ok "a heading that counts" gives 0 convert frame.csv frame.ts
ok "is no series" test "$(grep -vc '^@' frame.ts)" -eq 1
ok "that is said" one_note "--header yes or no"
ok "header no" gives 0 convert frame.csv frame.ts --header no
ok "makes it one" grep -qx '0,1,2,3' frame.ts
ok "without a note" no_note
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4, 1), }"
    printf '\001\002\003\004\005\006\007\010'
} >ntc.npy
ok "an array of time and channel" gives 0 convert ntc.npy ntc.ts
ok "is of one channel" grep -qx '5,6,7,8' ntc.ts
ok "that is said" one_note "--axes nct or ntc"
ok "axes ntc" gives 0 convert ntc.npy ntc2.ts --axes ntc
ok "is the same without a note" no_note
ok "the same" cmp -s ntc.ts ntc2.ts
ok "axes nct" gives 0 convert ntc.npy ntc.ts --axes nct
ok "is of four" grep -qx '5:6:7:8' ntc.ts
ok "written again" gives 0 convert ntc.npy nct.npy --axes nct
ok "it keeps its axes" gives 0 convert nct.npy nct.ts
ok "without a note" no_note
ok "as they were" cmp -s ntc.ts nct.ts
ok "no such column" gives 1 convert log.csv a2.ts --columns value,nothing
ok "is named" says "no column named 'nothing'"
ok "columns of another kind of file" gives 1 convert a.ts a2.ts --columns 1
ok "no such rows" gives 2 convert log.csv a2.ts --rows lines
evil=$(printf 'time,\033[2J,y\n')
printf '%s\n1,2,3\n2,3,4\n' "$evil" >evil.csv
ok "a heading that could steer a terminal" gives 0 info evil.csv
ok "is escaped" is 'time,\x1b[2J,y'

# ---- missing values
printf '2,?,4\n4,5,\n?,7,?,8\n' >holes.csv
ok "filled in" gives 0 convert holes.csv whole.csv --missing interpolate
printf '2,3,4\n4,5\n7,7,7.5,8\n' >wanted
ok "on lines" cmp -s wanted whole.csv
ok "left out" gives 0 convert holes.csv whole.csv --missing drop
printf '2,4\n4,5\n7,8\n' >wanted
ok "points" cmp -s wanted whole.csv
ok "refused where asked for" gives 1 convert holes.csv a2.ts --missing error
ok "with what to do" says "--missing interpolate"
ok "info counts them" gives 0 info holes.csv
ok "and their series" is "3 values in 2 series"
ok "and says what to do" is "--missing interpolate or drop"
printf '1,nan\n2,3\n' >end.csv
ok "a missing value at the end" gives 0 convert end.csv end.ts --rows points
ok "is kept" grep -qx '1,2:NaN,3' end.ts
printf '@data\n1,?\n' >end.ts
ok "and not written to .csv" gives 1 convert end.ts a2.csv
ok "which is said" says "can't hold a missing value at the end of series 0"
ok "labels and counts" gives 0 info a.ts
ok "are listed" is "cylinder: 2, bell: 2, funnel: 2"

# ---- texts
printf 'kitten\nGr\303\274\303\237e\n' >words.txt
ok "text" gives 0 convert words.txt words.csv --format text
ok "code points" grep -qx '71,114,252,223,101' words.csv
ok "and back" gives 0 convert words.csv words2.txt --to text
ok "the same text" cmp -s words.txt words2.txt
printf 'kitten\nGr\374\337e\n' >latin.txt
ok "text that is not UTF-8" gives 1 convert latin.txt a2.ts --format text
ok "its place is named" says "latin.txt:2:3"
printf 'a\n\nb\n' >hole.txt
ok "an empty line of text" gives 1 convert hole.txt a2.ts --format text
ok "numbers that are no characters" gives 1 convert gap.csv a2.ts --to text
ok "failures leave no file" absent a2.ts
ok "failures leave nothing behind" no_leftovers
echo old >limited.ts
(ulimit -f 8 && exec env --default-signal=XFSZ "$program" generate cbf --count 1000 -o limited.ts) >out 2>err
ok "a file above the size limit is a failure" test $? -eq 1
ok "is said" says 'limited.ts'
ok "stays as it was" grep -qx old limited.ts
ok "and no part is left" no_leftovers
# ---- quotes, missing values, dialects
# Rows are records of RFC 4180: doubled quotes, separators and ends of lines in quotes.
printf 'name,a,b,c\n"say ""x;y"", or\nnot",1,2,3\n"plain",4,NA,6\r\n"tab\there",7,8,null\n' >quoted.csv
ok "an end of line in quotes" gives 1 convert quoted.csv quoted.ts --labels name --missing interpolate
ok "is a label's, which .ts can't hold" says 'say "x;y", or\x0anot'
printf 'class,a,b,c\n"say ""x;y""",1,2,3\n"k\tl",4,N/A,6\n' >quoted.csv
ok "separators in quotes" gives 0 info quoted.csv --json
ok "make no columns" prints '"max_length": 3'
ok "a doubled quote is one" prints 'say \"x;y\"'
ok "a missing value" prints '"missing": 1'
for word in NA na N/A NULL None '#N/A' '<NA>' nan '?'; do
    printf '1,2,%s,4\n5,6,7,8\n' "$word" >missing.csv
    ok "missing is $word" gives 0 info missing.csv --json
    ok "and counted" prints '"missing": 1'
done
printf '%%# a\n%% b\n@univariate false\n@dimension 2\n@targetlabel false\n@data\n1,2:3,4:\n%% c\n5,6:7,8:\n' >aeon.ts
ok ".ts without labels as aeon writes it" gives 0 info aeon.ts --json
ok "has its channels" prints '"channels": 2'
printf '@problemName x\n@targetlabel true\n@classLabel false\n@data\n1,2:0.5\n3,4:1.50\n' >target.ts
ok ".ts with targets" gives 0 convert target.ts target2.ts
ok "keeps them" grep -qx '3,4:1.5' target2.ts
printf '# x\n@relation r\n@attribute series_name string\n@attribute start_timestamp date\n@frequency yearly\n@horizon 4\n@missing false\n@equallength false\n@data\nT1:1979-01-01 00-00-00:1,2,3\nT2:1979-01-01 00-00-00:4,5\n' >m1.tsf
ok ".tsf" gives 0 convert m1.tsf m1.csv
ok "its values" eval "printf '1,2,3\n4,5\n' | cmp -s - m1.csv"
printf '@relation r\n@attribute a numeric %% one\n@attribute b real\n@attribute c {x,y} %% {of two}\n@data\n1,2,x %% first\n3,4,y\n' >c.arff
ok "ARFF with comments behind" gives 0 convert c.arff c.ts
ok "and its classes" grep -qx '1,2:x' c.ts
printf 'month,v\n2024-01,1\n2024-02,2\n2024-04,3\n' >months.csv
ok "dates of months" gives 0 info months.csv --json --time-column month
printf 'class,a,b\n1.0,1,2\n01,3,4\n0.50,5,6\n.5,7,8\n' >numbers.csv
printf 'y,0,1,2\n7,0.5,1.5,2.5\n8,3,4,5\n' >y.csv
ok "the output as an option" gives 0 convert y.csv -o y.ts -q
ok "without a note" eval '! [ -s err ]'
ok "is the same" eval '"$program" convert y.csv - -q | cmp -s - y.ts'
ok "what is read and written" gives 0 convert y.csv y2.ts -v
ok "is said" says "y.csv: series 2, channels 1, points 3 to 3; y2.ts is written"
ok "two outputs" gives 2 convert y.csv a2.ts -o a3.ts
ok "none" gives 2 convert y.csv
ok "the output and the report both printed" gives 2 convert y.csv - --json
printf '1,2,3\n' >one.csv
ok "numbers alone" gives 0 convert one.csv one.f32
ok "are read wherever series are" gives 0 info one.f32
printf '>a\nkitten\n>b\nsit\nting\n' >words.fasta
ok "FASTA" gives 0 matrix words.fasta --measure levenshtein --format text
ok "without its headings" eval 'printf "0,3\n3,0\n" | cmp -s - out'
ok "labels in many forms" gives 0 info numbers.csv --json
ok "are few classes" prints '[{"label": "1", "series": 2}, {"label": "0.5", "series": 2}]'

if [ -w /dev/full ]; then
    "$program" generate cbf >/dev/full 2>err
    ok "a full disk is a failure" test $? -eq 1
    "$program" measures >/dev/full 2>err
    ok "also for what is printed" test $? -eq 1
fi
finish
