# Extensions with constant values: columns of samples and keys of COLLECTION.json, and what wrong values get.
mkdir "$scratch/chips"
cd "$scratch"
for name in a b; do echo $name >chips/$name.bin; done
printf '{"id": "x", "description": "D", "licenses": ["MIT"], "providers": [{"name": "P"}], "tasks": ["other"]}' >about.json
about=(--collection about.json --quiet)
printf '{"classes": [{"name": "water", "category": 1}, {"name": "land, dry", "category": 2}], "description": "D"}' >classes.json
show create chips one.tacozip "${about[@]}" --extensions 'split=train,scaling={"scale_factor": [1, 2], "padding": [0, 0, 1, 1]},labels=@classes.json' \
  --extensions 'optical_data=sentinel2msi[B04,B03]' --extensions split_strategy=random \
  --extensions 'rai_statement={"data_biases": "few, \"at sea\""}'
show query one.tacozip 'SELECT id, split, "scaling:scale_factor", "scaling:scale_offset", "scaling:padding" FROM data' -f csv
show columns one.tacozip
taco info one.tacozip --json | python3 -c '
import json, sys
about = json.load(sys.stdin)["collection"]
for key in ("labels:classes", "labels:description", "labels:num_classes", "optical:sensor", "optical:num_bands", "split:strategy",
            "rai:data_biases"):
    print(key, json.dumps(about[key]))
print([band["name"] for band in about["optical:bands"]])'
show validate one.tacozip --deep
show create chips flood "${about[@]}" --extensions 'flood={"event_id": "EMSR600", "event_time": "2022-07-01", "water_fraction": 0.5}'
show query flood 'SELECT id, "flood:event_id", "flood:event_time", "flood:water_fraction", "flood:source" FROM data' -f csv
# Keys of a .taco; a .tortilla has no collection.
show create chips old.taco --id old --description D --license MIT --provider P --task other --datetime 2020 --quiet --no-stats --extensions split_strategy=manual
taco info old.taco --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["collection"]["split_strategy"])'
show create chips old.tortilla --quiet --extensions split_strategy=manual
# Wrong values.
no() { show create chips no "${about[@]}" --extensions "$1"; }
no split
no split=val
no spilt=train
no 'scaling={"factor": 1}'
no scaling=half
no 'scaling={"scale_factor": 1'
no labels=water
no 'labels=[{"name": "water"}]'
no labels=@none.json
no optical_data=envisat
no 'geotiff_stats=[1,1]'
no 'geotiff_stats={"bins": 3}'
no tiff_index=1
no ''
show create chips no "${about[@]}" --extensions split=train,split=test
mkdir -p nested/scene && cp chips/a.bin nested/scene
show create nested no "${about[@]}" --extensions scaling=2
show extensions split
show extensions labels
show extensions header
show extensions spilt
# Each extension is described, and its example is accepted: what is missing then is the collection.
taco extensions | sed -n 's/^  example     --extensions //p' | while read -r line; do
  eval "taco create chips no --quiet --extensions $line" 2>&1 | sed "s/^taco: 5 things are missing.*/${line%%=*}: accepted/; /^taco: see/d"
done
ls -A
