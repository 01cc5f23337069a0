# Reports of faults for people and for other programs.
cp $examples/landsat.tacozip $scratch/wrong.tacozip
chmod u+w $scratch/wrong.tacozip
cd $scratch
id=$(taco ls wrong.tacozip --json | head -c 400 | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
printf 'id,stac:crs\n%s,EPSG:32601\n' "$id" >wrong.csv
taco edit wrong.tacozip --columns wrong.csv
show validate wrong.tacozip --assets -q --report faults.html --report faults.sarif --report faults.json
cat faults.json
cat faults.sarif
grep -c 'data:image/png' faults.html
show validate wrong.tacozip --report faults.html
show validate wrong.tacozip --report faults.html --overwrite
show validate wrong.tacozip --report faults.txt
show validate wrong.tacozip --report missing/faults.json
show validate wrong.tacozip --report wrong.tacozip --overwrite
show validate missing.tacozip --report missing.html
ln -s /dev/full full.html
show validate wrong.tacozip --report full.html --overwrite
ls
