# SPDX-License-Identifier: Apache-2.0
# Completion of wavewarp and wavewarp-bench for bash. Commands and options come from the programs themselves.

_wavewarp() {
    local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" --help-commands 2>/dev/null | cut -f1) help --help --version" -- "$word")
        return
    fi
    if [ "$command" = help ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" --help-commands 2>/dev/null | cut -f1)" -- "$word")
        return
    fi
    _wavewarp_options "$program" "$command"
}

_wavewarp_bench() {
    COMPREPLY=()
    _wavewarp_options "${COMP_WORDS[0]}"
}

# _wavewarp_options PROGRAM [COMMAND]: options, choices and files.
_wavewarp_options() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local kind= choices= options name letter value values rest words=
    options=$("$@" --help-options 2>/dev/null) || return
    while IFS=$'\x1f' read -r name letter value values rest; do
        words+=" --$name"
        if [ "$before" = "--$name" ] || { [ -n "$letter" ] && [ "$before" = "-$letter" ]; }; then
            kind=$value
            choices=$values
        fi
    done < <(tr '\t' '\037' <<<"$options")
    case $kind in
        choice) mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word") ;;
        text) ;;
        *)
            if [ "$kind" != file ] && [ "${word:0:1}" = - ]; then
                mapfile -t COMPREPLY < <(compgen -W "$words --help" -- "$word")
            else
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
            fi
            ;;
    esac
}
complete -F _wavewarp wavewarp
complete -F _wavewarp_bench wavewarp-bench
