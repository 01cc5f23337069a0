# The metadata of a dataset held against the headers and pixels of its files, and repaired.
show validate $examples/landsat.tacozip --assets
show validate $examples/landsat.tacozip --pixels --sample-size 10
cp $examples/landsat.tacozip $scratch/wrong.tacozip
chmod u+w $scratch/wrong.tacozip
cd $scratch
id=$(taco ls wrong.tacozip --json | head -c 400 | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
printf 'id,stac:crs\n%s,EPSG:32601\n' "$id" >wrong.csv
taco edit wrong.tacozip --columns wrong.csv
show validate wrong.tacozip --assets
show repair wrong.tacozip -o plan.json
cat plan.json
show repair wrong.tacozip --apply plan.json
show repair wrong.tacozip --apply plan.json
show repair wrong.tacozip --undo plan.json
show repair wrong.tacozip --apply plan.json --accept 7
show repair wrong.tacozip --apply plan.json --undo plan.json
show repair wrong.tacozip -o plan.json
