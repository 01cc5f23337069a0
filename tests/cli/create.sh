# A folder and a table become datasets; what is wrong is told before anything is written.
mkdir -p "$scratch/chips/b" "$scratch/chips/a"
for chip in a b; do
  printf 'red of %s' "$chip" >"$scratch/chips/$chip/red"
  printf 'green of %s' "$chip" >"$scratch/chips/$chip/green"
done
about=(--id chips --description "Two chips" --license CC-BY-4.0 --provider "Our lab" --task segmentation)
cd "$scratch"
show create chips chips.tacozip "${about[@]}"
show ls chips.tacozip b
show read chips.tacozip b/red
echo
show validate chips.tacozip --deep
show create chips chips.tacozip "${about[@]}"
show create chips chips.tacozip "${about[@]}" --overwrite --jobs 2
printf 'id,path,cloud\nred,chips/a/red,0.5\ngreen,chips/a/green,\n' >table.csv
printf '{"id": "listed", "description": "A table", "licenses": ["MIT"], "providers": [{"name": "Our lab"}], "tasks": ["other"]}' >about.json
show create table.csv listed --collection about.json --title "From a table"
show query listed "SELECT id, cloud FROM data"
show info listed
show create table.csv snappy --collection about.json --parquet compression=snappy --parquet row_group_size=1
show validate snappy --deep
show create table.csv none --collection about.json --parquet compression_level=99
show create table.csv none --collection about.json --parquet write_statistics=maybe
show create table.csv none --collection about.json --parquet data_page_size=1kB
show create table.csv none --collection about.json --parquet colour=red
show create table.csv none
show create nothing none "${about[@]}"
show create about.json none "${about[@]}"
rm chips/a/green
mkdir chips/c
show create chips none "${about[@]}"
show create chips padded.tacozip "${about[@]}" --pad --pad-to 4
show ls padded.tacozip
show ls padded.tacozip a
show ls padded.tacozip c
show validate padded.tacozip --deep
show create chips none "${about[@]}" --pad-to 0
rmdir chips/c
printf 'plain' >chips/c
show create chips none "${about[@]}"
show create chips
ls
rm -r chips/c
printf '{"type": "FeatureCollection", "features": [{"type": "Feature", "id": "red", "properties": {"path": "chips/a/red"}, "geometry": {"type": "Point", "coordinates": [-34.9, -8]}}]}' >places.geojson
show create places.geojson places.tacozip "${about[@]}"
show query places.tacozip "SELECT id, type FROM data" --bbox -35,-9,-34,-7
sed -i 's/-34.9, -8/-34.9/' places.geojson
show create places.geojson none "${about[@]}"
