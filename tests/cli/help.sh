# Every command has a help text with a usage line and an example that starts with taco. The rest is CLI11's layout.
taco --help | grep -E '^(Usage|  (info|ls|query|read|preview|stats|describe|validate|create|export|convert|compile|concat|edit|diff|index|collect|sync|index-tiffs|tog) )' | sed 's/  */ /g'
for command in info ls query read preview stats describe validate create export convert compile concat edit diff index collect sync index-tiffs tog; do
  taco "$command" --help >"$scratch/help"
  echo "exit $?"
  grep '^Usage' "$scratch/help"
  sed -n '/^Examples:$/,$p' "$scratch/help"
done
