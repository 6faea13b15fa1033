# What the daemon asks of the shell when the text of a line is not enough.

# _extdir_attributes: attributes=NAME:LETTERS... of the variables for which an
# assignment is more than to store a text. What zsh itself declares (special) the
# daemon knows.
_extdir_attributes() {
  builtin local _extdir_n _extdir_x _extdir_a _extdir_all=
  for _extdir_n _extdir_x in "${(@kv)parameters}"; do
    [[ $_extdir_x == *(readonly|integer|float|left|right|lower|upper|tied)* && $_extdir_n != *[^A-Za-z0-9_]* && $_extdir_n != _extdir_* ]] || continue
    _extdir_a=
    [[ $_extdir_x == *readonly* ]] && _extdir_a+=r
    if [[ $_extdir_x != *special* ]]; then
      [[ $_extdir_x == *integer* ]] && _extdir_a+=i
      [[ $_extdir_x == *float* ]] && _extdir_a+=f
      [[ $_extdir_x == *(left|right)* ]] && _extdir_a+=L
      [[ $_extdir_x == *lower* ]] && _extdir_a+=l
      [[ $_extdir_x == *upper* ]] && _extdir_a+=u
      [[ $_extdir_x == *tied* ]] && _extdir_a+=T
    fi
    [[ -n $_extdir_a ]] && _extdir_all+="$_extdir_n:$_extdir_a "
  done
  _extdir_told+=("attributes=$_extdir_all")
}

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
          *-export*) _extdir_told+=("declare.$_extdir_n=declare -x $_extdir_n=${(Pqq)_extdir_n}") ;;
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
      names:*)
        _extdir_told+=("names=${(kj: :)aliases} ${(kj: :)galiases} ${(kj: :)functions}")
        _extdir_attributes
        ;;
    esac
  done
  return 0
}
