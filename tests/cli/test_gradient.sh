# SPDX-License-Identifier: Apache-2.0
# Gradients by the program: known values, files of every shape, refusals.
. "$(dirname "$0")/tap.sh"
: >out >err

needs_device

printf '1,2,3\n' >x.csv
printf '3,4,-3\n' >y.csv
printf '1,2\n5,5\n' >two.csv
printf '1,2\n1,2,3\n' >uneven.csv

# Along the path (1,1) (2,1) (3,2) (3,3): 2 (x - y) of each.
ok "the hard gradient" gives 0 gradient x.csv y.csv
printf -- '-4,-2,10\n' >wanted
ok "is that of the path" cmp -s out wanted
ok "soft, in JSON" gives 0 gradient x.csv y.csv --soft 1 --json --divergence
ok "the published divergence" prints '"values": [42.058'
ok "by the second side" gives 0 gradient x.csv y.csv --soft 1 --of y --json
ok "the published value" prints '"values": [41.187'
ok "gamma by its own name" gives 0 gradient x.csv y.csv --gamma 1 --of y --json
ok "is the soft minimum's" prints '"values": [41.187'
ok "an alignment" gives 0 gradient x.csv y.csv --soft 1 -o g.npy --expected-alignment e.npy
ok "a series a pair, a channel a row" gives 0 convert e.npy e.ts
ok "parameters" gives 0 gradient x.csv y.csv -m msm --soft 0.5 --by-parameters --json
ok "are there" prints '"by_parameters": ['
ok "all pairs" gives 0 gradient x.csv two.csv --all-pairs --soft 1 -z
ok "unequal numbers" gives 1 gradient x.csv two.csv
ok "says what to do" says 'all-pairs'
ok "a measure without a gradient" gives 1 gradient x.csv y.csv -m edr
ok "says which have one" says 'edr has no gradient'
ok "gamma of 0" gives 2 gradient x.csv y.csv --soft 0
ok "gamma that is no number" gives 2 gradient x.csv y.csv --soft nan
ok "nothing is printed where the alignment can't be written" eval 'gives 1 gradient x.csv y.csv --soft 1 --expected-alignment e.bin && test ! -s out'
ok "series of two lengths have no array of alignments" gives 1 gradient x.csv uneven.csv --all-pairs --expected-alignment e.npy
ok "parameters without JSON" gives 2 gradient x.csv y.csv -m msm --by-parameters
ok "a folder that is not there" gives 1 gradient x.csv y.csv -o nowhere/g.npy
ok "an empty file" gives 1 gradient x.csv /dev/null
ok "no leftovers" no_leftovers
finish
