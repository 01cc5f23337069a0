# Tortilla 0.5.0 and TACO 0.2.0.
cd "$scratch"
mkdir -p chips/a chips/b
head -c 600 /dev/zero >chips/a/red
head -c 900 /dev/zero >chips/b/red
printf 'II*\0' >chips/b/broken.tif
printf '{"id": "chips", "description": "Chips", "licenses": ["MIT"], "providers": [{"name": "Our lab"}]}' >about.json
show create chips chips.tortilla
rm chips/b/broken.tif
show create chips chips.tortilla
show create chips chips.tortilla
show create chips chips.TACO --collection about.json --no-stats
show create chips chips.TACO --collection about.json --no-stats --datetime 2020-01-01/2020-12-31
show info chips.TACO
show edit chips.TACO --set "title=All chips"
printf 'id,cloud,tortilla:data_split\na,0.5,train\nb,0.25,test\n' >cloud.csv
show edit chips.TACO --columns cloud.csv
taco query chips.TACO 'SELECT id, "tortilla:data_split", cloud FROM data' --format csv | cut -d, -f1-3
show edit chips.TACO --drop-column tortilla:offset
show edit chips.tortilla --set title=New
show create chips none.taco
show create chips parts.tortilla --split-size 700
ls -A
head -c 2 parts.0001.part.tortilla
od -A d -t u8 -j 18 -N 8 parts.0001.part.tortilla
show create chips none.tortilla --group-by region
show create chips none.tacozip --collection about.json --no-stats
