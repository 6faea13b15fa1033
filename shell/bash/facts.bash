# What the daemon asks of the shell when the text of a line is not enough.

# __extdir_attributes: prints attributes=NAME:LETTERS... of the variables for which an
# assignment is more than to store a text. A value may look like a declaration of
# another name, so each name is asked about once more.
__extdir_attributes() {
  builtin local __extdir_d __extdir_n __extdir_a __extdir_out= IFS=$'\n'
  for __extdir_d in $(builtin declare -pr; builtin declare -pi; builtin declare -pn; builtin declare -pl; builtin declare -pu); do
    [[ $__extdir_d == 'declare -'* ]] || continue
    __extdir_n=${__extdir_d#declare * }
    __extdir_n=${__extdir_n%%=*}
    case $__extdir_n in
      *[!A-Za-z0-9_]* | BASH* | EUID | UID | PPID | SHELLOPTS | HISTCMD | OPTIND | RANDOM | SRANDOM | __extdir_* | extdir_*) continue ;;
    esac
    [[ " $__extdir_out " == *" $__extdir_n:"* ]] && continue
    __extdir_a=$(builtin declare -p "$__extdir_n" 2>/dev/null)
    [[ $__extdir_a == 'declare -'* ]] || continue
    __extdir_a=${__extdir_a#declare -}
    __extdir_a=${__extdir_a%% *}
    [[ $__extdir_a == *[rinlu]* ]] && __extdir_out+="$__extdir_n:${__extdir_a//[!rinlu]/} "
  done
  builtin printf 'attributes=%s\0' "$__extdir_out"
} 2>/dev/null

# __extdir_facts WORD...: prints key=value NUL for each of the daemon's needs.
# It runs in a subshell. A name it can't speak for is left out: the daemon takes
# what is left out for unknown.
__extdir_facts() {
  builtin local __extdir_w __extdir_n __extdir_d
  for __extdir_w in "$@"; do
    __extdir_n=${__extdir_w#*:}
    case $__extdir_w in
      var:RANDOM | var:SRANDOM | var:SECONDS | var:EPOCH* | var:LINENO | var:BASH_* | var:BASHPID | var:FUNCNAME | var:PIPESTATUS | var:_ | var:__extdir_*)
        # other values in the line than here
        ;;
      var:HISTCONTROL | var:HISTIGNORE)
        # cleared while the shell waits for a line
        ;;
      var:[A-Za-z_]*)
        [[ $__extdir_n == *[!A-Za-z0-9_]* ]] && continue
        __extdir_d=$(builtin declare -p "$__extdir_n" 2>/dev/null)
        # "declare -ax NAME=…": arrays, namerefs and what nested shells get go the way
        # they are declared
        case $__extdir_d in
          declare\ -*\ "$__extdir_n="*)
            __extdir_w=${__extdir_d#declare }
            if [[ ${__extdir_w%% *} == *[aAnx]* ]]; then
              builtin printf 'declare.%s=%s\0' "$__extdir_n" "$__extdir_d"
            else
              builtin printf 'var.%s=%s\0' "$__extdir_n" "${!__extdir_n}"
            fi
            ;;
          *) builtin printf 'unset.%s=\0' "$__extdir_n" ;;
        esac
        ;;
      func:*)
        __extdir_d=$(builtin declare -f -- "$__extdir_n" 2>/dev/null) &&
          builtin printf 'func.%s=%s\0' "$__extdir_n" "${__extdir_d#*$'\n'}"
        ;;
      alias:*)
        [[ -n ${BASH_ALIASES[$__extdir_n]+x} ]] &&
          builtin printf 'alias.%s=%s\0' "$__extdir_n" "${BASH_ALIASES[$__extdir_n]}"
        ;;
      names:*)
        __extdir_d=$(builtin compgen -A alias -A function)
        builtin printf 'names=%s\0' "${__extdir_d//$'\n'/ }"
        __extdir_attributes
        ;;
    esac
  done
}
