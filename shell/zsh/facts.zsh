# What the daemon asks of the shell when the text of a line is not enough.

# _extdir_facts WORD...: fills the array _extdir_told with key=value. A name it
# can't speak for is left out: the daemon takes what is left out for unknown.
_extdir_facts() {
  emulate -L zsh
  builtin local _extdir_w _extdir_n _extdir_i _extdir_x IFS=' '
  builtin local -a _extdir_v
  _extdir_told=()
  for _extdir_w in "$@"; do
    _extdir_n=${_extdir_w#*:}
    case $_extdir_w in
      var:(RANDOM|SECONDS|EPOCH*|LINENO|REPLY|MATCH|MBEGIN|MEND|match|mbegin|mend|funcstack|_|_extdir_*)) ;; # other values here than in the line
      var:[A-Za-z_]*)
        [[ $_extdir_n == *[^A-Za-z0-9_]* ]] && continue
        case ${(Pt)_extdir_n} in
          '') _extdir_told+=("unset.$_extdir_n=") ;;
          # the way bash prints them, the first element at 0
          array*)
            _extdir_v=()
            _extdir_i=0
            for _extdir_x in "${(@P)_extdir_n}"; do
              _extdir_v+=("[$(( _extdir_i++ ))]=${(qq)_extdir_x}")
            done
            _extdir_told+=("declare.$_extdir_n=declare -a $_extdir_n=(${_extdir_v[*]})")
            ;;
          association*)
            _extdir_v=()
            for _extdir_i _extdir_x in "${(@kvP)_extdir_n}"; do
              _extdir_v+=("[${(qq)_extdir_i}]=${(qq)_extdir_x}")
            done
            _extdir_told+=("declare.$_extdir_n=declare -A $_extdir_n=(${_extdir_v[*]})")
            ;;
          *) _extdir_told+=("var.$_extdir_n=${(P)_extdir_n}") ;;
        esac
        ;;
      func:*)
        # a function that is not loaded yet has no text to tell
        [[ -n ${functions[$_extdir_n]-} && ${functions[$_extdir_n]} != 'builtin autoload -X'* ]] &&
          _extdir_told+=("func.$_extdir_n=${functions[$_extdir_n]}")
        ;;
      alias:*)
        (( ${+aliases[$_extdir_n]} )) && _extdir_told+=("alias.$_extdir_n=${aliases[$_extdir_n]}")
        ;;
      names:*) _extdir_told+=("names=${(kj: :)aliases} ${(kj: :)galiases} ${(kj: :)functions}") ;;
    esac
  done
  return 0
}
