# The PS0 way, bash 4.4 and later. PS0 is expanded once for each complete command
# that was read, after parsing and before running. Its parts, in order:
#
#   1  nothing under the guard; else it makes the empty text that 3, 5 and 6 need.
#      Then a substitution that asks. Where the guard itself isn't loaded (a bash
#      started inside `extdird run` whose start files don't load it), the line
#      in EXTDIR_LOAD loads it there.
#   2  status 98: a second substitution tells the daemon what it needs. A third one
#      hands its status on: bash 5.2 takes note of an INT that was raised in the word
#      of ${…:+word} only when it substitutes again, and 4 would come first.
#   3  keeps PROMPT_COMMAND. It stands before what may drop the line, so that it
#      is done in either case, and prints nothing: what happens in the pattern of
#      an empty text's replacement happens to the shell itself.
#   4  any status but 0: an assignment to an unset element of a readonly array is
#      the one expansion error that drops the whole line.
#   5  the same with an array that is readonly in every bash.
#   6  notes what number the next line will have, gives the user's HISTCONTROL and
#      HISTIGNORE back.
#
# The words in quotes are no aliases of the user's: bash reads substitutions when it
# expands PS0.
#
# The redirections take the trace of set -x, in PROMPT_COMMAND too.
# With no free descriptor (ulimit -n) neither the redirection nor a substitution
# works, and a substitution that can't be made leaves $? as it was: __extdir_shut.
builtin readonly __extdir_entry='{ __extdir_pre; } 2>/dev/null || __extdir_shut'
builtin readonly __extdir_ps0='${extdir_blocked[0]=}$({ "builtin" set +x; } 2>/dev/null; ${__extdir_on-builtin eval "$EXTDIR_LOAD"} __extdir_check \!)${extdir_need[$?]:+$({ "builtin" set +x; } 2>/dev/null; __extdir_tell)$({ "builtin" exit $?; } >/dev/null 2>&1)}${extdir_blocked[0]/${PROMPT_COMMAND[98]:=${__extdir_on-$EXTDIR_LOAD; }$__extdir_entry}}${extdir_blocked[$?]=}${extdir_blocked[0]/${BASH_VERSINFO[$??9:0]=}}${extdir_blocked[0]/$((__extdir_back=1))$((__extdir_next=\!+1))${__extdir_hc:+${HISTCONTROL:=$__extdir_hc}}${__extdir_hi:+${HISTIGNORE:=$__extdir_hi}}}'

# __extdir_pre: first at every prompt. It returns 0 whatever happened, or a shell
# under set -e ends; bash itself gives each entry of the array the user's $?.
__extdir_pre() {
  # INT may have come to a substitution before it ignored it. Such a child of bash
  # hands the terminal to the process group that bash was started from
  # (termsig_handler in sig.c), and the shell would end at the next read. A command in
  # the foreground takes it back, after any line that INT ended.
  (($? != 130)) || (builtin :)
  __extdir_save
  if [[ -n ${HISTCONTROL-} && ${HISTCONTROL@a} != *r* ]]; then HISTCONTROL=; fi
  if [[ -n ${HISTIGNORE-} && ${HISTIGNORE@a} != *r* ]]; then HISTIGNORE=; fi
  builtin shopt -s cmdhist lithist promptvars
  __extdir_prompt
  __extdir_first
  # Five descriptors are what the two substitutions of PS0 and their pipes need.
  # Not `if !`: bash 5.2 forgets the negation where the redirection fails.
  { builtin :; } {__extdir_a}</dev/null {__extdir_b}</dev/null {__extdir_c}</dev/null {__extdir_d}</dev/null {__extdir_e}</dev/null || return 1
  # Not `builtin exec`: bash 5.2 undoes the redirections of builtin itself.
  command exec {__extdir_a}<&- {__extdir_b}<&- {__extdir_c}<&- {__extdir_d}<&- {__extdir_e}<&-
  if [[ -z $__extdir_said ]]; then __extdir_hello; fi
  return 0
}

# __extdir_shut: the guard can't ask any more, so PS0 drops every line by the
# readonly array alone, which takes no descriptor.
__extdir_shut() {
  PS0='${extdir_blocked[126]=}'
  builtin printf 'extdir: blocked: this shell has no free file descriptors left, so its lines cannot be judged: start a new shell\n' >&2
  return 0
}

# __extdir_prompt: PS0 is ours first, then that of others.
__extdir_prompt() {
  case ${PS0-} in
    "$__extdir_ps0"*) ;;
    *) PS0=$__extdir_ps0${PS0+"${PS0//"$__extdir_ps0"/}"} ;;
  esac
}

# __extdir_others TEXT: sets __extdir_rest to a prompt command without the guard's
# part. Others write `PROMPT_COMMAND="theirs;$PROMPT_COMMAND"`, or the other way round.
__extdir_others() {
  __extdir_rest=$1
  [[ $1 == *"$__extdir_entry"* ]] || return 0
  __extdir_rest=${1//"${EXTDIR_LOAD-}; $__extdir_entry"/:}
  __extdir_rest=${__extdir_rest//"$__extdir_entry"/:}
  # What is left in front would be an error, or hide the user's $? from theirs.
  while [[ $__extdir_rest == : || $__extdir_rest == :[$' \t\n;']* || $__extdir_rest == [$' \t\n;']* ]]; do
    __extdir_rest=${__extdir_rest#?}
  done
}

# __extdir_first: the guard's entry stays the first of PROMPT_COMMAND, and comes
# once more behind all others, in element 98: they may change the history. PS0
# (part 3) puts it there as well, so it survives an assignment to PROMPT_COMMAND.
__extdir_first() {
  builtin local p all
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    p=${PROMPT_COMMAND-}
    case $p in
      "$__extdir_entry"$'\n'*$'\n'"$__extdir_entry") ;;
      *)
        __extdir_others "$p"
        PROMPT_COMMAND=$__extdir_entry$'\n'$__extdir_rest$'\n'$__extdir_entry
        ;;
    esac
    return 0
  fi
  if [[ ${PROMPT_COMMAND[0]-} == "$__extdir_entry" && ${PROMPT_COMMAND[98]-} == "$__extdir_entry" && ${#PROMPT_COMMAND[@]} -eq $__extdir_len ]]; then
    return 0
  fi
  all=("$__extdir_entry")
  for p in "${PROMPT_COMMAND[@]}"; do
    __extdir_others "$p"
    [[ -z $__extdir_rest ]] || all+=("$__extdir_rest")
  done
  PROMPT_COMMAND=("${all[@]}")
  PROMPT_COMMAND[98]=$__extdir_entry
  __extdir_len=${#PROMPT_COMMAND[@]}
}

# __extdir_again: the start file is read once more.
__extdir_again() {
  __extdir_prompt
  __extdir_first
}

__extdir_pre_loaded() {
  # At once: a start file may take PROMPT_COMMAND away before the first prompt, and
  # PS0 brings it back.
  __extdir_prompt
  __extdir_first
  if [[ -n ${EXTDIR_LOAD-} ]]; then builtin export PS0; fi
}

builtin readonly -f __extdir_prompt __extdir_first __extdir_others __extdir_shut
