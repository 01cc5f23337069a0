# What is no dataset, or no longer one, is an error that names it: exit code 1 and one line.
mkdir "$scratch/empty"
head -c 300 flat.tacozip >"$scratch/cut.tacozip"
: >"$scratch/nothing.tacozip"
echo hello >"$scratch/text.txt"
cd "$scratch"
for path in cut.tacozip nothing.tacozip text.txt empty missing.tacozip; do
  for command in info ls query stats 'info --sources'; do
    taco $command $path >stdout 2>stderr
    echo "$? $(wc -l <stderr) $(grep -c "^taco: $path: " stderr) $(wc -c <stdout) $command $path"
  done
done
show info missing.tacozip
