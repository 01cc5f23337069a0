# Side-cars: where they lie, what proves them, and what is refused.
ln -s "$PWD" "$scratch/golden"
cd "$scratch"
export XDG_CACHE_HOME="$PWD/cache"
cp golden/polygons.tacozip p.tacozip
show index p.tacozip --sidecar
find cache -type f | sed 's|/[0-9a-f]\{64\}|/HASH|' | sort
show query p.tacozip "SELECT id FROM data" --bbox 0,0,20,20 --quiet
touch -d 2020-01-01 p.tacozip
taco query p.tacozip "SELECT id FROM data WHERE id = 'none'" 2>&1 | sed 's|[^ ]*/[0-9a-f]\{64\}|cache/HASH|'
rm -r cache
show index p.tacozip --sidecar --beside
ls p.tacozip.sidecar
show query p.tacozip "SELECT id FROM data WHERE id = 'none'"
rm -r cache
show query p.tacozip "SELECT id FROM data WHERE id = 'none'"
show query p.tacozip "SELECT id FROM data WHERE id = 'none'" --trust-sidecar
show index p.tacozip --sidecar --check
show query p.tacozip "SELECT id FROM data WHERE id = 'none'"
show index p.tacozip --check
show index p.tacozip --beside
show index p.tacozip --sidecar --beside --check
show index p.tacozip --sidecar -o .
show index p.tacozip --sidecar --overwrite
show index none.tacozip --sidecar
show index golden/v1/flat.taco --sidecar
rm -r p.tacozip.sidecar
show index p.tacozip --sidecar --check
mkdir p.tacozip.sidecar && echo mine >p.tacozip.sidecar/notes
show index p.tacozip --sidecar --beside
