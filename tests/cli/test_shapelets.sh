# SPDX-License-Identifier: Apache-2.0
# Shapelets by the program: a set whose shapelet is known, files, pictures, refusals.
. "$(dirname "$0")/tap.sh"
: >out >err

needs_device

# Class b has a spike down then up somewhere, class a one up then down.
printf 'a,0,0.1,0,5,-5,0.1,0,0.2\na,0.1,5,-5,0,0.1,0,0.2,0\na,0.2,0,0.1,0,0,5.1,-5,0\n' >train.csv
printf 'b,0,0.1,-5,5,0,0.1,0,0.2\nb,0.1,0,0,-5,5,0,0.2,0\nb,-5,5,0.1,0,0,0.1,0,0\n' >>train.csv
{ sed -n 1p train.csv; sed -n '4p;6p' train.csv; } >test.csv

ok "fit" gives 0 shapelets fit train.csv --csv-label first -o model.json
ok "the report has the tree" prints 'node 0: 6 series, d <= '
ok "two leaves" prints 'node 2: 3 series, class'
ok "the model is there" test -s model.json
if "$program" shapelets show model.json >out 2>err; then
    ok "predict" gives 0 shapelets predict model.json test.csv --csv-label first
    ok "all right" prints 'accuracy  1.0000 (3 of 3)'
    ok "predict, in JSON" gives 0 shapelets predict model.json test.csv --csv-label first --json
    ok "JSON has the confusion" prints '"confusion": [[1, 0], [0, 2]]'
    ok "JSON has one head" prints '"command": "shapelets"'
    ok "predictions" gives 0 shapelets predict model.json test.csv --csv-label first -o p.csv
    printf 'series,actual,predicted\n0,a,a\n1,b,b\n2,b,b\n' >wanted
    ok "the file of predictions" cmp -s p.csv wanted
    ok "show" gives 0 shapelets show model.json
    ok "it has the shapelet" prints 'shapelet 0: series'
    ok "show with its series" gives 0 shapelets show model.json train.csv --csv-label first --svg picture.svg --json
    ok "JSON has the nodes" prints '"nodes": [{"depth": 0'
    ok "the picture is whole" grep -q '</svg>' picture.svg
    ok "it has the order line" grep -q 'order line' picture.svg
    ok "show alone" gives 0 shapelets show model.json --svg alone.svg
    if command -v xmllint >/dev/null; then
        ok "the pictures are XML" xmllint --noout picture.svg alone.svg
    fi
    ok "transform" gives 0 shapelets fit train.csv --csv-label first --no-tree -k 2 --length-step 3 -o best.json
    ok "features" gives 0 shapelets transform best.json test.csv --csv-label first -o f.csv
    ok "three rows" lines 3 f.csv
    ok "in NumPy's format" gives 0 shapelets transform best.json test.csv --csv-label first -o f.npy
    ok "a tree that is none" gives 1 shapelets predict best.json test.csv --csv-label first
    ok "says so" says 'has no tree'
    sed 's/^a/a\xe9/; s/^b/a\xc3\xa9/' train.csv >latin.csv
    ok "labels in Latin-1 and in UTF-8" gives 0 shapelets fit latin.csv --csv-label first -o latin.json
    ok "their model is UTF-8" iconv -f UTF-8 -t UTF-16 -o /dev/null latin.json
    ok "predicted by it" gives 0 shapelets predict latin.json latin.csv --csv-label first
    ok "they are the same labels" prints 'accuracy  1.0000 (6 of 6)'
    sed 's/"61e9"/"61e"/' latin.json >cut.json
    ok "half a byte of one" gives 1 shapelets show cut.json
    ok "says where" says 'class_bytes'
    printf '@classLabel true\n@data\n1,2,3,9,1:x,"\xe9\n3,1,4,0,0:b\n1,2,3,9,2:x,"\xe9\n3,1,4,0,1:b\n' >comma.ts
    ok "labels with a comma" gives 0 shapelets fit comma.ts -o comma.json --max-length 3
    ok "their predictions" gives 0 shapelets predict comma.json comma.ts -o p.csv
    printf 'series,actual,predicted\n0,"x,""\xe9","x,""\xe9"\n1,b,b\n2,"x,""\xe9","x,""\xe9"\n3,b,b\n' >wanted
    ok "are in quotes, byte by byte" cmp -s p.csv wanted
    head -c 200 model.json >cut.json
    ok "a file that is cut" gives 1 shapelets predict cut.json test.csv --csv-label first
    ok "names it" says 'cut.json'
    ok "a file that is not there" gives 1 shapelets show nowhere.json
    ok "other channels" gives 1 shapelets predict model.json "$(printf '@problemName x\n@classLabel false\n@data\n1,2,3:4,5,6\n' >two.ts && echo two.ts)"
    ok "says how many" says 'channels'
else
    ok "the reason is named" says 'jansson'
fi
ok "terms and a checkpoint" gives 0 shapelets fit train.csv --csv-label first --terms 3 --checkpoint c.txt -o m2.json --json
ok "the checkpoint is gone" test ! -e c.txt
mkfifo pipe
ok "a pipe as a checkpoint" gives 1 shapelets fit train.csv --csv-label first --checkpoint pipe -o m2.json
ok "is refused" says 'pipe is not a file'
ok "a checkpoint in a folder that there is not" gives 1 shapelets fit train.csv --csv-label first --checkpoint no/c.txt -o m2.json
ok "is refused before the search" says 'no/c.txt'
ok "a checkpoint that was begun leaves nothing else" test -z "$(ls c.txt* 2>/dev/null)"
ok "a sample" gives 0 shapelets fit train.csv --csv-label first --sample 20 -q kruskal-wallis -o m3.json

fit="shapelets fit train.csv --csv-label first --no-tree -k 2"
mkdir parts
ok "the best of the whole" gives 0 $fit -o whole.json
ok "part 1 of 2" gives 0 $fit --part 1/2 --parts parts
ok "a part that is missing" gives 1 merge parts -o joined.json
ok "part 2 of 2" gives 0 $fit --part 2/2 --parts parts --json
ok "says how many series" prints '"tiles": 3'
ok "a part that is there" gives 1 $fit --part 2/2 --parts parts
ok "is gone on with" gives 0 $fit --part 2/2 --parts parts --resume
ok "not by other options" gives 1 $fit --part 2/2 --parts parts --resume --max-length 3
if [ -f parts/1-of-2.json ] && "$program" shapelets show parts/1-of-2.json >out 2>err; then
    ok "merge" gives 0 merge parts -o joined.json
    ok "the bytes of the whole" cmp -s joined.json whole.json
    ok "merge needs a file" gives 1 merge parts
fi
ok "a part of a tree" gives 2 shapelets fit train.csv --csv-label first --part 1/2 --parts parts
ok "a part and a file" gives 2 $fit --part 1/2 --parts parts -o m.json
ok "more parts than series" eval "mkdir many && gives 0 $fit --part 1/99 --parts many"
ok "a part of a prediction" gives 2 shapelets show whole.json --part 1/2 --parts parts

ok "no such model" eval 'gives 1 shapelets predict none.json test.csv && says "No such file" && lines 1 err'
ok "no verb" gives 2 shapelets
ok "another verb" gives 2 shapelets find train.csv
ok "no output" gives 2 shapelets fit train.csv
ok "search options elsewhere" gives 2 shapelets show model.json --terms 2
ok "too many files" gives 2 shapelets fit train.csv test.csv -o m.json
ok "a length above the series" gives 1 shapelets fit train.csv --csv-label first --max-length 9 -o m.json
ok "says which" says 'candidates have up to 9 points'
ok "more than there are" gives 1 shapelets fit train.csv --csv-label first -k 1000 -o m.json
ok "says how many there are" says 'without overlap there are'
printf 'a,1,2,3\nb,1\n' >point.csv
ok "a series of one point" gives 1 shapelets fit point.csv --csv-label first -o m.json
ok "says that it is too short" says 'the shortest series has 1'
printf 'a,1,2,3\na,3,2,1\n' >one.csv
ok "one class" gives 1 shapelets fit one.csv --csv-label first -o m.json
printf 'a,1,2,3\n' >single.csv
ok "one series" gives 1 shapelets fit single.csv --csv-label first -o m.json
ok "no model of a failed search" test ! -e m.json
ok "no leftovers" no_leftovers
finish
