# A -c shell: zsh sets ZSH_EXECUTION_STRING before it reads .zshenv, so the whole
# text is judged before anything of it runs. The variables are those of a
# session's environment; without one this is a test and nothing more.

# _extdir_below: package below tells what this finds out. Of a line in the process
# table only the name is anybody's to choose, 15 bytes of it: behind its end there are
# many more.
_extdir_below() {
  emulate -L zsh
  builtin local pid=$PPID line name
  builtin local -i n
  [[ "${EXTDIR_BELOW-}" == <-> ]] || return 1
  for (( n = 0; n < LEVELS; n++ )); do
    { builtin read -r line <"/proc/$pid/stat" } 2>/dev/null || return 1
    name=${${line#*\(}%\)*} line=${line##*\) }
    (( ${#line} > 60 )) || return 1
    case $name in (PROGRAMS|'npm '*) ;; (*) return 1 ;; esac
    [[ "$pid" == "$EXTDIR_BELOW" ]] && return 0
    line=${line#* }
    pid=${line%% *}
  done
  return 1
}
if [[ -n "${ZSH_EXECUTION_STRING-}" ]] && ! { _extdir_below } 2>/dev/null; then
  () {
    { emulate -L zsh; unsetopt xtrace } 2>/dev/null
    builtin local -a _extdir_told _extdir_req
    builtin local _extdir_id _extdir_st _extdir_needed _extdir_try
    zmodload zsh/parameter
    if [[ ! -x $_extdir_hook[1] ]]; then
      print -ru2 -- "extdir: blocked: $_extdir_hook[1] is gone: put it back"
      exit 126
    fi
    _extdir_req=("line=$ZSH_EXECUTION_STRING" via=c shell=zsh "shpid=$$" "version=$ZSH_VERSION")
    (( ${+HOME} )) && _extdir_req+=("home=$HOME")
    (( ${+OLDPWD} )) && _extdir_req+=("oldpwd=$OLDPWD")
    _extdir_id=$(builtin printf '%s\0' $_extdir_req | "${_extdir_hook[@]}" check)
    _extdir_st=$?
    for _extdir_try in 1 2 3 4 5 6 7 8; do
      (( _extdir_st == 98 )) || break
      _extdir_needed=$("${_extdir_hook[@]}" needs "id=$_extdir_id" via=c) || exit 126
      _extdir_facts ${(s: :)_extdir_needed}
      _extdir_id=$(builtin printf '%s\0' via=c "shpid=$$" $_extdir_told | "${_extdir_hook[@]}" tell "id=$_extdir_id")
      _extdir_st=$?
    done
    (( _extdir_st == 0 )) || exit 126
  }
fi
