# What differs is told, the exit code tells whether anything does.
mkdir -p "$scratch/chips/b" "$scratch/chips/a"
for chip in a b; do
  printf 'red of %s' "$chip" >"$scratch/chips/$chip/red"
  printf 'green of %s' "$chip" >"$scratch/chips/$chip/green"
done
about=(--id chips --description "Two chips" --license CC-BY-4.0 --provider "Our lab" --task segmentation)
cd "$scratch"
taco create chips a.tacozip "${about[@]}"
taco create chips a "${about[@]}"
show diff a.tacozip a
show diff a.tacozip a --quick
show diff a.tacozip a --json
printf 'Red of b' >chips/b/red
mkdir chips/c && cp chips/a/* chips/c
taco create chips b "${about[@]}" --title "Three chips"
printf 'id,cloud\na/red,0.5\nb/green,1\n' >clouds.csv
taco edit b --columns clouds.csv --level 1
show diff a.tacozip b
show diff a.tacozip b --json
show diff a b --quick
printf 'id,cloud\na/red,\nb/green,2\n' >clouds.csv
cp -r b c
taco edit c --columns clouds.csv --level 1
show diff b c
show diff c b --quiet --jobs 1
show diff a none
show diff a
show diff a clouds.csv
