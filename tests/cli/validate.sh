# Findings are data, a line each; the summary is a message. Warnings are no failure.
shape='^(error|warning) [A-Z]+-[0-9]+ [^ ]+( level [0-9]+)?( byte [0-9]+)?: .'
for path in flat.tacozip nested no_current_id.tacozip permuted_offsets.tacozip none.tacozip; do
  taco validate $path >"$scratch/found" 2>"$scratch/stderr"
  echo "$path: exit $?, $(cut -d ' ' -f 1,2 "$scratch/found" | sort | uniq -c | tr -s ' \n' ' ')"
  cat "$scratch/stderr"
  grep -vE "$shape" "$scratch/found"
done
show validate flat.tacozip --quiet
# The parts of an index are looked for where --base-path says.
mkdir "$scratch/index"
cp -r cascade_tacocat/.tacocat "$scratch/index"
taco validate "$scratch/index/.tacocat" --quiet >/dev/null
echo "exit $?"
taco validate "$scratch/index/.tacocat" --quiet --base-path cascade_tacocat >/dev/null
echo "exit $?"
