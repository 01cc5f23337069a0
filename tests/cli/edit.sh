# The collection and the columns of a dataset change; data and ids do not.
mkdir -p "$scratch/chips/b" "$scratch/chips/a"
for chip in a b; do
  printf 'red of %s' "$chip" >"$scratch/chips/$chip/red"
  printf 'green of %s' "$chip" >"$scratch/chips/$chip/green"
done
about=(--id chips --description "Two chips" --license CC-BY-4.0 --provider "Our lab" --task segmentation)
cd "$scratch"
printf 'id,cloud\na/red,0.5\nb/green,1\n' >clouds.csv
printf '{"id": "b", "place": "Olinda"}\n' >places.jsonl
printf 'id,cloud\nz,0.5\n' >unknown.csv
for set in chips.tacozip chips_folder; do
  show create chips $set "${about[@]}"
  show edit $set --set title="Chips of a scene" --set keywords=cloud --set keywords=snow --set providers=Us \
    --set-json 'extent={"spatial": [-35, -9, -34, -7]}' --set-json 'lab:room=7'
  show info $set
  show edit $set --unset keywords --unset lab:room
  show edit $set --columns clouds.csv --level 1 --jobs 1
  show edit $set --columns places.jsonl --temp-dir .
  show query $set "SELECT id, place FROM data"
  show query $set "SELECT id, cloud FROM level1"
  show read $set b/green
  echo
  show edit $set --drop-column cloud --level 1
  show validate $set --deep
  show edit $set --columns unknown.csv
  show edit $set --drop-column cloud
  show edit $set --drop-column id
  show edit $set --set id=other
  show edit $set --set tasks=dancing --unset licenses
  show edit $set --set-json title=Chips
done
show edit chips.tacozip
show edit chips.tacozip --set title
show edit nothing.tacozip --set title=x
ls -A
