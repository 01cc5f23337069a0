# Bash completes commands, options, ids and columns by the script that `taco completion bash` prints, and leaves the rest
# to file names.
source <(taco completion bash)
complete_line() {
  COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
  _taco
  echo "$1 -> ${COMPREPLY[*]}"
}
landsat=$examples/landsat.tacozip nested=$examples/landsat_nested.tacozip
complete_line "taco in"
complete_line "taco create --for"
complete_line "taco --verbose que"
complete_line "taco query $landsat --bb"
complete_line "taco query $landsat"
complete_line "taco query $landsat --columns sp"
complete_line "taco query $landsat --columns stac:c"
complete_line "taco query $landsat -n 3 --columns id,m"
complete_line "taco edit $landsat --drop-column veg"
complete_line "taco read $landsat tile_r0"
complete_line "taco read $nested tile_r1"
complete_line "taco ls $nested tile_r1_c1/o"
complete_line "taco ls $nested tile_r1_c1/optical/x"
complete_line "taco stats $landsat --on-error "
complete_line "taco create a b --extensions stac,geo"
complete_line "taco help val"
complete_line "taco completion "
# Nothing is asked of what is not there, is no dataset, or would need the network.
complete_line "taco read nothing.tacozip t"
complete_line "taco read $landsat/x t"
complete_line "taco read http://localhost:1/x.tacozip t"
complete_line "taco nothing t"
# Each command has a page, whose first line names it; nothing starts with a dot that the language does not know.
for command in $(taco complete -- "" | cut -f 1); do
  taco manual "$command" | head -n 1 | cut -d ' ' -f 1-3
  taco manual "$command" | grep '^[.]' | grep -Ev '^[.](TH|SH|TP|nf|fi)( |$)' || true
done
taco manual query | sed -n '/bbox/,/^[.]/p'
show manual nothing
show completion tcsh
