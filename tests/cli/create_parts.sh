# A dataset of several ZIPs and the index beside them.
for chip in a b c d; do
  mkdir -p "$scratch/chips/$chip"
  head -c 600 /dev/zero >"$scratch/chips/$chip/red"
done
printf 'id,path,region,year\na,chips/a/red,north,2020\nb,chips/b/red,"south: coast",2020\nc,chips/c/red,north,2021\nd,chips/d/red,,2020\n' >"$scratch/table.csv"
about=(--collection about.json --quiet)
cd "$scratch"
printf '{"id": "chips", "description": "Chips", "licenses": ["MIT"], "providers": [{"name": "Our lab"}], "tasks": ["other"]}' >about.json
mkdir split groups both
show create chips split/chips.tacozip "${about[@]}" --split-size 1.5KB
ls -A split split/.tacocat
show ls split
show validate split --deep
show create chips split/chips.tacozip "${about[@]}" --split-size 1.5KB
show create chips split/more.tacozip "${about[@]}" --split-size 1.5KB
show create chips split/more.tacozip "${about[@]}" --split-size 1.5KB --no-consolidate
show create chips split/chips.tacozip "${about[@]}" --split-size 1.5KB --overwrite
show create table.csv groups/chips.tacozip "${about[@]}" --group-by region
ls -A groups
show query groups/.tacocat "SELECT id, region FROM data"
show create table.csv both/chips.tacozip "${about[@]}" --group-by region,year --split-size 600
ls -A both
show create table.csv none.tacozip "${about[@]}" --group-by zone
show create table.csv none "${about[@]}" --group-by region
show create table.csv none.tacozip "${about[@]}" --split-size 4XB
show create table.csv none.tacozip "${about[@]}" --split-size 0
ls -A
