# A -c shell: bash sets BASH_EXECUTION_STRING before it reads a start file, so the
# whole text is judged before anything of it runs. The variables are those of a
# session's environment; without one this is a test and nothing more.
if { [[ -n ${BASH_EXECUTION_STRING-} && -n ${EXTDIR_SESSION-} ]]; } 2>/dev/null; then
  # bash -xc shows its own commands only: the redirection takes the trace of set.
  { case $- in *x*) __extdir_x=1 ;; *) __extdir_x= ;; esac; builtin set +x; } 2>/dev/null
  # __extdir_below: package below tells what this finds out. Of a line in the process
  # table only the name is anybody's to choose, 15 bytes of it: behind its end there
  # are many more.
  __extdir_below() {
    builtin local pid=$PPID line name n LC_ALL=C
    [[ -n ${EXTDIR_BELOW-} && $EXTDIR_BELOW != *[!0-9]* ]] || return 1
    for n in {1..LEVELS}; do
      { builtin read -r line <"/proc/$pid/stat"; } 2>/dev/null || return 1
      name=${line#*\(} name=${name%)*} line=${line##*) }
      ((${#line} > 60)) || return 1
      case $name in PROGRAMS | 'npm '*) ;; *) return 1 ;; esac
      [[ $pid != "$EXTDIR_BELOW" ]] || return 0
      line=${line#* } pid=${line%% *}
    done
    return 1
  }
  # __extdir_string: also takes back what this file brought, for the text must
  # find the shell as it would be without it.
  __extdir_string() {
    builtin local id needs st words LC_ALL=C
    __extdir_below && return
    if [[ ! -x ${__extdir_hook[0]} ]]; then
      builtin printf 'extdir: blocked: %s is gone: put it back\n' "${__extdir_hook[0]}" >&2
      return 126
    fi
    words=("${__extdir_hook[@]}" check "via=c" "shell=bash" "shpid=$$" "opts=${BASHOPTS-}:${SHELLOPTS-}")
    if ((${#BASH_EXECUTION_STRING} > 90000)); then
      builtin printf 'line=%s\0' "$BASH_EXECUTION_STRING" | "${words[@]}" "home=${HOME-}" "oldpwd=${OLDPWD-}" "cdpath=${CDPATH-}" >/dev/null
      return
    fi
    id=$(EXTDIR_LINE=$BASH_EXECUTION_STRING "${words[@]}" "home=${HOME-}" "oldpwd=${OLDPWD-}" "cdpath=${CDPATH-}")
    st=$?
    for _ in 1 2 3 4 5 6 7 8; do
      ((st == 98)) || break
      needs=$("${__extdir_hook[@]}" needs "id=$id") || return 126
      id=$(__extdir_facts $needs | "${__extdir_hook[@]}" tell "id=$id" "via=c" "shpid=$$")
      st=$?
    done
    return "$st"
  }
