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
show create chips none.taco
show create chips parts.tortilla --split-size 700
ls -A
head -c 26 parts.0001.part.tortilla | od -A d -t x1 -w26
show create chips none.tortilla --group-by region
show create chips none.tacozip --collection about.json --no-stats
