# Bash completes commands and options of the script that `taco completion bash` prints, and leaves the rest to file names.
source <(taco completion bash)
complete_line() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _taco
  echo "$* -> ${COMPREPLY[*]}"
}
complete_line taco in
complete_line taco create --for
complete_line taco --verbose que
complete_line taco query a.tacozip --bb
complete_line taco query a.tac
# Each command has a page, whose first line names it; nothing starts with a dot that the language does not know.
for command in $(compgen -W "$(taco completion bash | sed -n "s/^  local commands='\(.*\)'$/\1/p")"); do
  taco manual "$command" | head -n 1 | cut -d ' ' -f 1-3
  taco manual "$command" | grep '^[.]' | grep -Ev '^[.](TH|SH|TP|nf|fi)( |$)' || true
  taco completion fish | grep -c "__fish_seen_subcommand_from $command'" >/dev/null
  taco completion zsh | grep -q "^      $command) _arguments"
done
taco manual query | sed -n '/bbox/,/^[.]/p'
show manual nothing
show completion tcsh
