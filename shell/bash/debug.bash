# The DEBUG way, for bash before 4.4 (no PS0) and for --via debug. The trap fires
# before each simple command; it acts once for each new history entry and drops
# the line with INT. Known holes (README.md): a subshell or coproc that begins the
# line, a definition that is the whole line, a user's own INT trap.

__extdir_armed= __extdir_last= __extdir_prompting=
__extdir_trap='__extdir_debug "$_"'
if [[ -n $(builtin trap -p DEBUG) ]]; then
  # trap -- 'TEXT' DEBUG: a trap that was there goes on behind the guard's
  builtin eval "__extdir_user=($(builtin trap -p DEBUG))"
  __extdir_trap+=$'\n'${__extdir_user[2]}
  builtin unset -v __extdir_user
fi

# __extdir_debug LAST: the trap. Bash saves and restores $? and PIPESTATUS round
# it; "$_" is the last word of the trap's command and so stays what it was.
__extdir_debug() {
  [[ -z $__extdir_prompting ]] || return 0
  [[ -n $__extdir_armed || $HISTCMD != "$__extdir_last" ]] || return 0
  builtin local __extdir_st=126
  if builtin shopt -qo history && [[ ${HISTSIZE-1} != 0 ]] && ((HISTCMD >= __extdir_next)); then
    (__extdir_check "$HISTCMD")
    __extdir_st=$?
    # not a new line: completion, bind -x
    ((__extdir_st == 97)) && return 0
    if ((__extdir_st == 98)); then
      (__extdir_tell debug)
      __extdir_st=$?
    fi
  elif [[ -z $__extdir_armed ]]; then
    # the line was refused; this is the first command of PROMPT_COMMAND
    return 0
  else
    (__extdir_check off)
    __extdir_st=$?
  fi
  __extdir_last=$HISTCMD __extdir_armed= __extdir_back=1 __extdir_next=$((HISTCMD + 1))
  if ((__extdir_st != 0)); then
    builtin kill -INT $$
    return 0
  fi
  [[ -z $__extdir_hc ]] || HISTCONTROL=$__extdir_hc
  [[ -z $__extdir_hi ]] || HISTIGNORE=$__extdir_hi
  return 0
}

# __extdir_check N: as in the PS0 way, but an older bash has neither lastpipe nor
# a reason to save the fork.
__extdir_check() {
  builtin set +xevTmu
  __extdir_there || builtin exit 126
  __extdir_line debug "$1" | "${__extdir_hook[@]}" check "needfile=$__extdir_side.need"
}

__extdir_pre() {
  __extdir_prompting=1
  __extdir_save
  if [[ -n ${HISTCONTROL-} ]]; then HISTCONTROL=; fi
  if [[ -n ${HISTIGNORE-} ]]; then HISTIGNORE=; fi
  builtin shopt -s cmdhist lithist
  if [[ -z $__extdir_said ]]; then __extdir_hello; fi
  return 0
}

__extdir_post() {
  __extdir_next=${HISTCMD-}
  __extdir_armed=1 __extdir_prompting=
  return 0
}

# __extdir_again: the trap is set by PROMPT_COMMAND's own text; set inside a
# function it would end with the function.
__extdir_again() {
  builtin local p='__extdir_prompting=1; __extdir_pre' q='builtin trap "$__extdir_trap" DEBUG; __extdir_post' e all
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    e=${PROMPT_COMMAND-}
    e=${e//"$p"/:} e=${e//"$q"/:}
    PROMPT_COMMAND=$p$'\n'$e$'\n'$q
    return 0
  fi
  all=("$p")
  for e in "${PROMPT_COMMAND[@]}"; do
    [[ -z $e || $e == "$p" || $e == "$q" ]] || all+=("$e")
  done
  PROMPT_COMMAND=("${all[@]}")
  PROMPT_COMMAND[99]=$q
}

__extdir_pre_loaded() { __extdir_again; }
