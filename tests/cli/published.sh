# The date of publication: stored by init, create and edit, and told by describe.
mkdir -p "$scratch/chips"
cd "$scratch"
unset SOURCE_DATE_EPOCH
echo a >chips/a.bin
about=(--id chips --description D --license MIT --provider P --task other)
year() { taco describe "$1" --as datacite "${@:2}" | grep -o '"publicationYear": *"[0-9]*"'; }
show create chips undated.tacozip "${about[@]}" --quiet
show describe undated.tacozip --as datacite
show create chips dated.tacozip "${about[@]}" --quiet --published 2026-11-23
year dated.tacozip
year dated.tacozip --published 2027
taco describe dated.tacozip --as croissant | grep '"datePublished"'
show edit dated.tacozip --set published=2025
year dated.tacozip
show edit dated.tacozip --set published=soon
show edit dated.tacozip --set publishd=2025
show init "${about[@]}" --published 2024 --quiet
tail -3 collection.json
taco create chips folder --collection collection.json --quiet && year folder
taco create chips later --collection collection.json --quiet --published 2026 && year later
taco create chips old.taco "${about[@]}" --datetime 2020 --no-stats --quiet --published 2023 && year old.taco
show create chips old.tortilla --quiet --published 2023
for date in soon 26 2026-11 2026-02-30 2026-11-23T10:00:00Z; do show create chips no "${about[@]}" --published $date; done
ls
