# SPDX-License-Identifier: Apache-2.0
# Completion of wavewarp for fish. Commands and options come from the program itself.

function __wavewarp_options
    set -l words (commandline -opc)
    test (count $words) -ge 2; or return
    for line in ($words[1] $words[2] --help-options 2>/dev/null)
        set -l fields (string split \t -- $line)
        echo "--$fields[1]"\t"$fields[5]"
    end
end

function __wavewarp_choices
    set -l words (commandline -opc)
    test (count $words) -ge 3; or return
    for line in ($words[1] $words[2] --help-options 2>/dev/null)
        set -l fields (string split \t -- $line)
        if test "$words[-1]" = "--$fields[1]" -o "$words[-1]" = "-$fields[2]"
            string split ' ' -- $fields[4]
        end
    end
end

complete -c wavewarp -n __fish_use_subcommand -f -a '(wavewarp --help-commands 2>/dev/null)'
complete -c wavewarp -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__wavewarp_options)'
complete -c wavewarp -n 'not __fish_use_subcommand' -a '(__wavewarp_choices)'
