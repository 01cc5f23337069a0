# Every example of a help text that names the shipped data runs; those of a command one after the other, beside
# copies of both datasets. What is not ours, gdalinfo and jq, is left out; what serves a page ends by Ctrl-C,
# once (--foreground: timeout signals the whole group otherwise, which the tool takes for an impatient second time).
for command in $(taco --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
  rm -rf $scratch/here
  mkdir $scratch/here
  cp $examples/*.tacozip $scratch/here
  taco "$command" --help | sed -n '/^Examples:$/,$s/^  //p' | grep -E 'landsat(_nested)?\.tacozip' |
    while read -r line; do
      run=${line/gdalinfo/echo}
      run=${run%%|*}
      [[ $run != "taco view"* || $run == *" -o "* ]] || run="timeout --foreground --preserve-status -s INT 2 $run"
      (cd $scratch/here && eval "${run//\/backup\//}" >$scratch/said 2>&1 </dev/null) && code=0 || code=$?
      echo "$code  $line"
      [[ $code == 0 ]] || cat $scratch/said
    done
done
