# Between versions, and parts of a dataset as a .tortilla or .taco.
ln -s "$PWD" "$scratch/golden"
cd "$scratch"
show convert golden/v1/nested.taco new.tacozip
show validate new.tacozip --deep
show query new.tacozip "SELECT id, \"stac:time_start\" AS start, \"stac:centroid\" FROM data"
show ls new.tacozip img0
show convert new.tacozip back.taco
show validate back.taco
show convert golden/v1/flat.tortilla folder --id flat --description 'Five samples' --license CC-BY-4.0 --provider me --task other
show info folder
show convert golden/v1/mixed.tortilla no.tacozip
show convert golden/v1/uneven.tortilla padded.tacozip --quiet
show ls padded.tacozip one
show convert padded.tacozip uneven.tortilla
show ls uneven.tortilla one
show convert golden/v1/parts/set.0000.part.tortilla joined.tortilla
show ls joined.tortilla
show diff golden/v1/parts/set.0000.part.tortilla joined.tortilla
show diff golden/v1/flat.tortilla joined.tortilla
mkdir index
show index joined.tortilla -o index
show collect joined.tortilla -o index
show sync joined.tortilla store
rm -r index
show convert joined.tortilla again.tortilla --split-size 25
ls -A
show compile golden/v1/flat.taco some.taco "SELECT * FROM data WHERE \"tortilla:data_split\" = 'train' ORDER BY id DESC"
show export golden/v1/flat.taco exported.taco "SELECT * FROM data WHERE \"tortilla:data_split\" = 'train' ORDER BY id DESC"
cmp some.taco exported.taco && echo the same bytes as compile
show export golden/v1/flat.taco named.taco --id other
show ls some.taco
show validate some.taco
show compile golden/v1/nested.tortilla some.tortilla --bbox -3.5,41,-2.5,42
show ls some.tortilla
show read some.tortilla img0/lrf
show compile golden/v1/nested.tortilla some.tacozip
show compile golden/v1/nested.tortilla none.tortilla "SELECT * FROM data WHERE false"
# Options that a conversion would not use.
show convert new.tacozip new --id other --title Other --quiet
show convert back.taco back.tortilla --id other --quiet
show compile golden/v1/flat.taco other.taco --block-size 256
[ ! -e new ] && [ ! -e back.tortilla ] && [ ! -e other.taco ] && echo "none is written"
