# The guard of an interactive zsh: shell/zsh/README.md tells why each line is as
# it is. Nothing here prints or reads at load.

# A zsh without these modules asks through the hook.
zmodload zsh/net/socket zsh/system 2>/dev/null
zmodload zsh/parameter
typeset -gi _extdir_seq=0 _extdir_dbc=0 _extdir_said=0
typeset -g _extdir_user_debug= _extdir_opts=

# _extdir_preexec TYPED SHORT FULL: the hook function. It touches no option and
# uses nothing that one could change; the work is done below, under emulate. The
# redirection takes the trace of xtrace. After an error in a preexec function zsh
# runs the line all the same, so that what isn't allowed is denied in `always`.
_extdir_preexec() {
  {
    builtin local _extdir_ok=
    _extdir_opts=' '
    _extdir_opts=" ${(kj: :)options[(R)on]} "
    [[ -o xtrace ]] && unsetopt xtrace
  } 2>/dev/null
  {
    _extdir_judge "$3" "$1" && _extdir_ok=1
  } always {
    if [[ "$_extdir_ok" != 1 ]]; then
      # zsh forgets an interrupt in `always` at its end, together with what it kept
      # from being done (exectry in loop.c); said to be older, it ends the line.
      builtin local _extdir_int=$TRY_BLOCK_INTERRUPT
      TRY_BLOCK_INTERRUPT=1
      if (( TRY_BLOCK_ERROR == 1 )); then
        TRY_BLOCK_ERROR=0
        print -u2 -r -- 'extdir: blocked: the guard of this shell failed on this line: start a new shell'
      fi
      _extdir_deny
      TRY_BLOCK_INTERRUPT=$_extdir_int
    fi
  }
  # ... and one that came before that was said is past: once more.
  [[ "$_extdir_ok" == 1 || "${functions[TRAPDEBUG]-}" == *': _extdir'* ]] || _extdir_deny
  [[ "$_extdir_opts" == *' xtrace '* ]] && setopt xtrace
}

# _extdir_deny: the next command that would run, and with it the whole line, is
# dropped by a DEBUG trap that returns 126 and removes itself.
_extdir_deny() {
  builtin local lt=0
  [[ -o localtraps ]] && { lt=1; unsetopt localtraps }
  [[ -o debugbeforecmd ]] || { _extdir_dbc=1; setopt debugbeforecmd }
  if (( ${+functions[TRAPDEBUG]} )); then
    _extdir_user_debug="f${functions[TRAPDEBUG]}"
  else
    _extdir_user_debug="$(builtin trap)"
  fi
  if [[ -o errexit ]]; then
    TRAPDEBUG() {
      {
        (( ${#funcstack[@]} > 1 )) && return 0
        : _extdir
        unfunction TRAPDEBUG
        setopt errexit
        kill -INT $$
      } 2>/dev/null
    }
  else
    TRAPDEBUG() {
      {
        (( ${#funcstack[@]} > 1 )) && return 0
        : _extdir
        unfunction TRAPDEBUG
        return 126
      } 2>/dev/null
    }
  fi
  (( lt )) && setopt localtraps
  return 0
}

# _extdir_precmd: after a line. Takes back what a refusal changed, and puts the
# guard back where a line moved it.
_extdir_precmd() {
  { builtin local x=0; [[ -o xtrace ]] && { x=1; unsetopt xtrace } } 2>/dev/null
  if [[ -n "$_extdir_user_debug" || $_extdir_dbc != 0 ]] || (( ${+functions[TRAPDEBUG]} )); then
    builtin local lt=0
    [[ -o localtraps ]] && { lt=1; unsetopt localtraps }
    (( ${+functions[TRAPDEBUG]} )) && [[ "${functions[TRAPDEBUG]}" == *': _extdir'* ]] && unfunction TRAPDEBUG
    if [[ "$_extdir_user_debug" == f* ]]; then
      functions[TRAPDEBUG]="${_extdir_user_debug#f}"
    else
      builtin local l
      for l in "${(@f)_extdir_user_debug}"; do
        [[ "$l" == *' DEBUG' ]] && eval "$l"
      done
    fi
    _extdir_user_debug=
    (( _extdir_dbc )) && { unsetopt debugbeforecmd; _extdir_dbc=0 }
    (( lt )) && setopt localtraps
  fi
  _extdir_heal
  (( _extdir_said )) || _extdir_hello
  (( x )) && setopt xtrace
}

# _extdir_heal: both hooks stand first in their lists.
_extdir_heal() {
  emulate -L zsh
  [[ ${preexec_functions[1]-} == _extdir_preexec ]] ||
    preexec_functions=(_extdir_preexec ${preexec_functions:#_extdir_preexec})
  [[ ${precmd_functions[1]-} == _extdir_precmd ]] ||
    precmd_functions=(_extdir_precmd ${precmd_functions:#_extdir_precmd})
}

# _extdir_hello: at the first prompt, so that the daemon is there at the first line.
_extdir_hello() {
  emulate -L zsh
  _extdir_said=1
  ( "${_extdir_hook[@]}" hello shell=zsh "version=$ZSH_VERSION" "shpid=$$" </dev/null >/dev/null 2>&1 &! )
}

# _extdir_judge TEXT: 0 lets the line run. A plain allow takes one connection and
# no fork. The text is $3 of preexec: whole, history and aliases expanded.
_extdir_judge() {
  emulate -L zsh
  # A user's DEBUG trap would run for each command here; local_traps (of emulate
  # -L) gives it back at the end.
  builtin trap - DEBUG
  setopt no_multibyte extended_glob no_bgnice
  builtin local REPLY= _extdir_reply _extdir_id _extdir_words _extdir_fd _extdir_wait=1 _extdir_try _extdir_asked=
  builtin local -a _extdir_told _extdir_check
  builtin local _extdir_cwd=/proc/self/cwd
  _extdir_cwd=${_extdir_cwd:P}
  [[ $_extdir_cwd == /proc/self/cwd ]] && _extdir_cwd=${PWD:P}
  builtin local -a _extdir_req
  _extdir_req=("line=$1" "typed=$2" "cwd=$_extdir_cwd" shell=zsh via=preexec "shpid=$$" "version=$ZSH_VERSION" "opts=$_extdir_opts")
  (( ${+HOME} )) && _extdir_req+=("home=${HOME:P}")
  (( ${+OLDPWD} )) && _extdir_req+=("oldpwd=$OLDPWD")
  (( ${#cdpath} )) && _extdir_req+=("cdpath=${(j.:.)cdpath}")

  # A long line could fill the socket of a daemon that doesn't read and block the
  # shell: the hook has its deadline.
  if (( ${#1} > 60000 )) || ! [[ -O $_extdir_socket ]] || ! zsocket $_extdir_socket 2>/dev/null; then
    _extdir_hooked check
    return
  fi
  _extdir_fd=$REPLY _extdir_check=("${_extdir_req[@]}")
  # A daemon that hung less than ten seconds ago gets less time.
  [[ -n $_extdir_socket.hung(#qN.ms-10) ]] && _extdir_wait=0.1
  {
    _extdir_ask check
    for _extdir_try in 1 2 3 4 5 6 7 8; do
      [[ $_extdir_reply == need ]] || break
      _extdir_asked=need
      _extdir_needs || break
      _extdir_req=("id=$_extdir_id" via=preexec "shpid=$$" $_extdir_told)
      _extdir_ask tell
    done
  } always {
    exec {_extdir_fd}>&-
  }
  # It answers again: the mark would keep the hook from starting one when it ends.
  if [[ $_extdir_wait != 1 && $_extdir_reply == (allow|block|prompt|need) ]]; then
    zmodload -F zsh/files b:zf_rm 2>/dev/null && zf_rm -f -- $_extdir_socket.hung 2>/dev/null
  fi
  [[ $_extdir_reply == allow ]] && return 0
  _extdir_there || return
  if [[ $_extdir_reply == gone && -z $_extdir_asked ]]; then
    # It died while it was asked: the hook starts another one.
    _extdir_req=("${_extdir_check[@]}")
    _extdir_hooked check
    return
  fi
  case $_extdir_reply in
    gone) _extdir_words=$("${_extdir_hook[@]}" lost via=preexec) ;;
    need | prompt | block) _extdir_words=$("${_extdir_hook[@]}" settle "verdict=$_extdir_reply" "id=$_extdir_id" via=preexec "shpid=$$") ;;
    late) _extdir_words=$("${_extdir_hook[@]}" hung "verdict=$_extdir_asked" via=preexec) ;;
    *) _extdir_words=$("${_extdir_hook[@]}" garbled "verdict=$_extdir_asked" via=preexec) ;;
  esac
}

# _extdir_ask KIND: sends _extdir_req and sets _extdir_reply (allow, block,
# prompt, need, body, late, gone, or something else) and _extdir_id.
_extdir_ask() {
  builtin local _extdir_part= _extdir_line= _extdir_n=$$.$(( ++_extdir_seq ))
  _extdir_reply=garbled _extdir_id=
  syswrite -o $_extdir_fd -- $'extdir 1\0'$1$'\0'${(pj:\0:)_extdir_req}$'\0seq='$_extdir_n$'\0\0' 2>/dev/null || { _extdir_reply=gone; return }
  while (( ${#_extdir_line} < 64 )); do
    sysread -i $_extdir_fd -t $_extdir_wait -s $(( 64 - ${#_extdir_line} )) _extdir_part 2>/dev/null
    case $? in
      0)
        # success without a byte is not sysread's: whatever it is, don't wait for it
        [[ -n $_extdir_part ]] || { _extdir_reply=garbled; return }
        _extdir_line+=$_extdir_part _extdir_part=
        ;;
      4) _extdir_reply=late; return ;;
      *) (( ${#_extdir_line} )) || _extdir_reply=gone; return ;;
    esac
  done
  _extdir_words=(${(s: :)_extdir_line%$'\n'})
  [[ ${_extdir_words[1]} == 1 && ${_extdir_words[2]} == $_extdir_n ]] || return
  _extdir_reply=${_extdir_words[3]} _extdir_id=${_extdir_words[4]-}
}

# _extdir_needs: asks what the need wants and fills _extdir_told.
_extdir_needs() {
  builtin local _extdir_need=$_extdir_id _extdir_body= _extdir_part=
  _extdir_req=("id=$_extdir_id")
  _extdir_ask detail
  [[ $_extdir_reply == body && $_extdir_id == <1-16777216> ]] || return 1
  while (( ${#_extdir_body} < _extdir_id )); do
    sysread -i $_extdir_fd -t $_extdir_wait -s $(( _extdir_id - ${#_extdir_body} )) _extdir_part 2>/dev/null && [[ -n $_extdir_part ]] || return 1
    _extdir_body+=$_extdir_part _extdir_part=
  done
  _extdir_id=$_extdir_need
  for _extdir_part in ${(0)_extdir_body}; do
    [[ $_extdir_part == needs=* ]] || continue
    _extdir_facts ${(s: :)_extdir_part#needs=}
    return 0
  done
  return 1
}

# _extdir_hooked KIND: the same through extdir-hook, which starts a daemon, takes
# long lines and knows deadlines. Always in a substitution: as a foreground job it
# could be stopped with Ctrl-Z, and the line would run.
_extdir_hooked() {
  builtin local _extdir_st _extdir_needed
  _extdir_there || return
  _extdir_id=$(builtin printf '%s\0' $_extdir_req | "${_extdir_hook[@]}" $1)
  _extdir_st=$?
  for _extdir_try in 1 2 3 4 5 6 7 8; do
    (( _extdir_st == 98 )) || break
    _extdir_needed=$("${_extdir_hook[@]}" needs "id=$_extdir_id" via=preexec) || return 126
    _extdir_facts ${(s: :)_extdir_needed}
    _extdir_id=$(builtin printf '%s\0' via=preexec "shpid=$$" $_extdir_told | "${_extdir_hook[@]}" tell "id=$_extdir_id")
    _extdir_st=$?
  done
  return $_extdir_st
}

# _extdir_there: says so where the hook isn't.
_extdir_there() {
  [[ -x $_extdir_hook[1] ]] && return 0
  print -ru2 -- "extdir: blocked: $_extdir_hook[1] is gone: put it back from another terminal, or end this shell (Ctrl-D) and start a new one"
  return 126
}

# What fc runs does not pass preexec. Reading, writing and listing do no harm.
fc() {
  if [[ "${1-}" == -*[lpPRWAI]* && "${1-}" != -*[es]* ]]; then
    builtin fc "$@"
    return
  fi
  print -ru2 -- 'extdir: fc runs what the guard does not see; recall the line with the arrow keys instead (fc -l works)'
  return 1
}
r() {
  print -ru2 -- 'extdir: r runs what the guard does not see; recall the line with the arrow keys instead'
  return 1
}
