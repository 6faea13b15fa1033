# The guard of an interactive bash: shell/bash/README.md tells why each line is
# as it is. Nothing here prints or reads at load.

# Under set -k bash takes every NAME=VALUE among a command's words for its
# environment, but not where a quote stands before it.

# __extdir_line: one line to judge, to the hook's standard input. Fields end with
# NUL; trap comes first, because every later `trap` empties the list a subshell
# inherits. It is the only fork beside the substitution itself.
__extdir_line() {
  builtin printf 'trap='
  builtin trap -p INT
  # The hook alone takes note of Ctrl-C. A child of bash that dies of INT here would
  # hand the terminal to the process group bash was started from.
  builtin trap '' INT PIPE
  # One write: the hook reads what comes, and an empty field is none.
  builtin printf '\0%s' "via=$1" "shell=bash" "shpid=$$" "number=$2" "version=$BASH_VERSION" "opts=${BASHOPTS-}:${SHELLOPTS-}" \
    "${HOME+home=$HOME}" "${OLDPWD+oldpwd=$OLDPWD}" "${CDPATH+cdpath=$CDPATH}" \
    "${__extdir_hc:+histcontrol=$__extdir_hc}" "${__extdir_hc:+dropfile=$__extdir_side.drop}" ''
  if [[ -n $__extdir_hc ]]; then
    builtin printf 'previous='
    HISTTIMEFORMAT= builtin history 2
    builtin printf '\0'
  fi
  if builtin shopt -qo history && [[ $2 != off ]]; then
    builtin printf 'history='
    HISTTIMEFORMAT= builtin history 1
  else
    builtin printf 'hist=off\0'
  fi
}

# __extdir_there: says so where the hook isn't. Bash must not try: an exec that fails
# in a subshell hands the terminal to the group that bash was started in
# (end_job_control in jobs.c), and the shell ends at the next prompt.
__extdir_there() {
  [[ -x ${__extdir_hook[0]} ]] && return 0
  builtin printf 'extdir: blocked: %s is gone: put it back from another terminal, or end this shell (Ctrl-D) and start a new one\n' "${__extdir_hook[0]}" >&2
  return 126
}

# __extdir_check N: asks about the line with history number N, which must be
# newer than what the prompt saw: a line that the history did not take leaves the
# last one there (bash counts on only for lines it records). It runs in a subshell that ends in the hook: with job control off there (set +m), lastpipe
# makes the right side of a pipe this process itself.
__extdir_check() {
  builtin set +xevTmu
  # … or there was no prompt of ours yet, and the history may leave lines out.
  if (($1 < __extdir_next)) || [[ -z $__extdir_said && -n ${HISTCONTROL-}${HISTIGNORE-} ]]; then
    builtin set -- off
  fi
  if ! __extdir_there; then
    [[ -z $(builtin trap -p INT) ]] && builtin kill -INT "$BASHPID"
    builtin exit 126
  fi
  builtin shopt -s lastpipe
  __extdir_line ps0 "$1" | builtin exec "${__extdir_hook[@]}" check "needfile=$__extdir_side.need"
}

# __extdir_tell: the daemon wants to know more of the shell. It ends the subshell
# with the verdict.
__extdir_tell() {
  builtin local id needs st t
  t=$(builtin trap -p INT)
  builtin trap - DEBUG ERR RETURN
  builtin set +xevTmuC
  IFS=$' \t\n'
  builtin read -r id <"$__extdir_side.need" || builtin exit 126
  builtin : >"$__extdir_side.need"
  st=98
  for _ in 1 2 3 4 5 6 7 8; do
    needs=$("${__extdir_hook[@]}" needs "id=$id") || {
      st=126
      break
    }
    builtin set -f
    id=$(__extdir_facts $needs | "${__extdir_hook[@]}" tell "id=$id" "via=${1-tell}" "shpid=$$")
    st=$?
    ((st == 98)) || break
  done
  ((st == 98)) && builtin printf 'extdir: blocked: the daemon keeps asking about this line: start a new shell\n' >&2
  # As the hook does: die of INT where the trap is not the user's, so that the
  # shell drops the line by itself.
  ((st != 0)) && [[ -z $t && ${1-} != debug ]] && builtin kill -INT "$BASHPID"
  builtin exit "$st"
}

# __extdir_private: removes the last line from the history if the user's own
# HISTCONTROL (the hook looked, and left its number in a file) or HISTIGNORE would
# not have let it in.
__extdir_private() {
  builtin local n= t p globs
  if [[ -s $__extdir_side.drop ]]; then
    builtin read -r n <"$__extdir_side.drop"
    builtin : >|"$__extdir_side.drop"
  fi
  [[ -n $n || -n $__extdir_hi ]] || return 0
  t=$(HISTTIMEFORMAT= builtin history 1)
  t=${t#"${t%%[![:space:]]*}"}
  p=${t%%[!0-9]*}
  if [[ -n $__extdir_hi && $p != "$__extdir_seen" ]]; then
    __extdir_seen=$p
    t=${t#"$p"} t=${t#??} globs=$__extdir_hi:
    while [[ -n $globs ]]; do
      # shellcheck disable=SC2053 # it is a pattern
      if [[ $t == ${globs%%:*} ]]; then n=$p; break; fi
      globs=${globs#*:}
    done
  fi
  if [[ -n $n && $n == "$p" ]]; then builtin history -d "$n" 2>/dev/null; fi
  return 0
}

# __extdir_save: between a line and the next prompt. The user's HISTCONTROL and
# HISTIGNORE would hide lines; they are given back before the line runs, and
# taken again only when they were (__extdir_back).
__extdir_save() {
  __extdir_private
  if [[ -n $__extdir_back ]]; then
    __extdir_hc=${HISTCONTROL-} __extdir_hi=${HISTIGNORE-} __extdir_back=
  fi
  # An assignment by the user's own prompt commands counts as well.
  if [[ -n ${HISTCONTROL-} ]]; then __extdir_hc=$HISTCONTROL; fi
  if [[ -n ${HISTIGNORE-} ]]; then __extdir_hi=$HISTIGNORE; fi
  __extdir_next=${HISTCMD-}
}

fc() {
  builtin local a
  for a in "$@"; do
    case $a in
      -*[es]*) break ;;
      -*l*)
        builtin fc "$@"
        return
        ;;
      -*) ;;
      *) break ;;
    esac
  done
  builtin printf 'extdir: fc runs what the guard does not see; recall the line with the arrow keys instead (fc -l works)\n' >&2
  return 1
}

# What edit-and-execute-command runs does not pass PS0.
if [[ -o emacs || -o vi ]]; then
  builtin bind -m emacs-standard -u edit-and-execute-command
  builtin bind -m emacs-ctlx -u edit-and-execute-command
  builtin bind -m emacs-meta -u edit-and-execute-command
  builtin bind -m vi-command -u vi-edit-and-execute-command
fi 2>/dev/null
