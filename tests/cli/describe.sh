# Text goes to standard output or to a file that appears whole; folders and Parquet need a name.
ln -s "$PWD" "$scratch/golden"
cd "$scratch"
show describe golden/nested --as card
show describe golden/cascade_tacocat --as stac -o catalog
find catalog | sort
show describe golden/nested.tacozip --as geoparquet --level 1 -o level1.parquet
show describe golden/flat.tacozip --as stac-geoparquet -o items.parquet
head -c 4 level1.parquet items.parquet
echo
for form in croissant markdown html; do
  taco describe golden/flat.tacozip --as "$form" >one
  taco describe golden/flat.tacozip --as "$form" -o "$form"
  cmp one "$form" && echo "$form"
done
for option in --quiet --no-checksums; do
  echo "$option: $(taco describe golden/flat.tacozip --as croissant "$option" | grep -c sha256) checksums"
done
mkdir publish
taco describe "$OLDPWD/$examples/landsat.tacozip" --as card --viewer-tables table -o publish/README.md
sed -n '/^configs/,/^---/p' publish/README.md
ls publish publish/table
show describe golden/flat.tacozip --as all -o site
show describe golden/flat.tacozip --as all -o site --published 2026 --overwrite
find site | sort
SOURCE_DATE_EPOCH=0 taco describe golden/flat.tacozip --as datacite | grep publicationYear
