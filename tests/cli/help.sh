# Every command has a help text with a usage line and an example that starts with taco. Wrapped lines are joined; the rest is CLI11's layout, in at most 100 columns.
taco --help | sed -z 's/\n   \+/ /g' | grep -E '^(Usage|  (info|ls|query|read|preview|stats|describe|validate|create|export|convert|compile|concat|edit|diff|index|collect|publish|sync|index-tiffs|tog|completion|manual) )' | sed 's/  */ /g'
for command in info ls query read preview stats describe validate create export convert compile concat edit diff index collect publish sync index-tiffs tog completion manual; do
  taco "$command" --help >"$scratch/help"
  echo "exit $?"
  grep '^Usage' "$scratch/help"
  awk 'length > 100' "$scratch/help"
  sed -n '/^Examples:$/,$p' "$scratch/help"
done
