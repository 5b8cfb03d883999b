# SPDX-License-Identifier: Apache-2.0
# Completion of wavewarp and wavewarp-bench for fish. Commands and options come from the programs themselves.

# The table of the command that is being typed.
function __wavewarp_table
    set -l words (commandline -opc)
    if string match -q -- '*wavewarp-bench' $words[1]
        $words[1] --help-options 2>/dev/null
    else if test (count $words) -ge 2
        $words[1] $words[2] --help-options 2>/dev/null
    end
end

function __wavewarp_options
    for line in (__wavewarp_table)
        set -l fields (string split \t -- $line)
        echo "--$fields[1]"\t"$fields[5]"
    end
end

function __wavewarp_choices
    set -l words (commandline -opc)
    for line in (__wavewarp_table)
        set -l fields (string split \t -- $line)
        if test "$words[-1]" = "--$fields[1]" -o "$words[-1]" = "-$fields[2]"
            string split ' ' -- $fields[4]
        end
    end
end

complete -c wavewarp -n __fish_use_subcommand -f -a '(wavewarp --help-commands 2>/dev/null)'
complete -c wavewarp -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__wavewarp_options)'
complete -c wavewarp -n 'not __fish_use_subcommand' -a '(__wavewarp_choices)'
complete -c wavewarp-bench -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__wavewarp_options)'
complete -c wavewarp-bench -a '(__wavewarp_choices)'
