# No output destroys what is read, whatever the command: what is the input, is in it, holds it, or leads to it by a link is
# refused, and nothing changes.
cp $examples/landsat_nested.tacozip "$scratch/a.tacozip"
cp v1/flat.taco "$scratch/v.taco"
cp v1/nested.tortilla "$scratch/t.tortilla"
cd "$scratch"
mkdir chips links && echo x >chips/x
about=(--id x --description D --license MIT --provider P --task other)
taco convert a.tacozip f --quiet
taco read f tile_r1_c1/dem >chips/i.tif
printf 'id,path\na,chips/i.tif\n' >list.csv
ln -s a.tacozip link.tacozip
ln a.tacozip hard.tacozip
ln -s f to_f
for name in i.tif v.taco t.tortilla; do ln -s ../$name links/$name; done
ln chips/i.tif i.tif
ln v.taco hard.taco
ln t.tortilla hard_t.taco
cp -r f/COLLECTION.json draft.json

state() { find . -type f -exec sha256sum {} + -o -printf '%p %l\n' | sort; }
# refused IN OUT... -- COMMAND: the command with IN and each OUT in the place of @in and @out.
refused() {
  local in=$1 out outs=() words before message
  shift
  while [[ $1 != -- ]]; do outs+=("$1"); shift; done
  shift
  for out in "${outs[@]}"; do
    words=("${@//@in/$in}")
    words=("${words[@]//@out/$out}")
    before=$(state)
    echo "$ taco ${words[*]}"
    ! message=$(taco "${words[@]}" --overwrite 2>&1) || message="NOT REFUSED"
    echo "${message//$PWD\/}"
    [[ $(state) == "$before" ]] || echo "CHANGED"
  done
}
zips=(a.tacozip link.tacozip hard.tacozip)
inside=(f f/DATA/x.tacozip to_f/x.tacozip)
sql='SELECT id FROM data LIMIT 1'
for in in a.tacozip link.tacozip; do
  refused $in "${zips[@]}" -- query @in "$sql" -f csv -o @out
  refused $in "${zips[@]}" -- export @in @out "$sql" --quiet
  refused $in "${zips[@]}" -- index-tiffs @in -o @out
done
refused f "${inside[@]}" -- query @in "$sql" -f csv -o @out
refused to_f "${inside[@]}" -- export @in @out "$sql" --quiet
refused f "${inside[@]}" -- convert @in @out --quiet
refused a.tacozip "${zips[@]}" . -- convert @in @out --quiet
refused a.tacozip "${zips[@]}" -- read @in tile_r1_c1/dem -o @out
refused a.tacozip "${zips[@]}" -- read @in tile_r1_c1/dem --npy -o @out
refused f f/DATA/x -- preview @in tile_r1_c1/dem -o @out
refused a.tacozip a.tacozip -- preview @in tile_r1_c1/dem -o @out
refused a.tacozip "${zips[@]}" -- concat @in f @out --quiet
refused f "${inside[@]}" -- concat a.tacozip @in @out --quiet
for form in stac stac-geoparquet geoparquet croissant datacite card markdown html; do
  refused a.tacozip link.tacozip -- describe @in --as $form --published 2026 -o @out
  refused f f/DATA/x to_f/COLLECTION.json f/METADATA -- describe @in --as $form --published 2026 -o @out
done
refused chips chips chips/x.tacozip chips/x.taco -- create @in @out "${about[@]}" --quiet
refused list.csv chips -- create @in @out "${about[@]}" --quiet
refused f/COLLECTION.json f to_f -- create chips @out --collection @in --quiet
refused draft.json a.tacozip -- convert a.tacozip @out --collection @in --quiet
for out in v.taco hard.taco links/v.taco; do refused v.taco $out -- compile @in @out "$sql" --quiet; done
refused t.tortilla hard_t.taco t.tortilla links/t.tortilla -- convert @in @out "${about[@]}" --quiet
refused chips/i.tif i.tif links/i.tif chips/i.tif -- tog @in @out
refused f f/store to_f/store -- sync @in @out
taco sync f store --quiet
refused store/f store store/f store/datasets/x -- sync @in @out

taco index a.tacozip --quiet
refused .tacocat "${zips[@]}" -- query @in "$sql" -f csv -o @out
refused .tacocat "${zips[@]}" .tacocat/x.tacozip -- export @in @out "$sql" --quiet
refused .tacocat a.tacozip -- index-tiffs @in -o @out
mkdir elsewhere && mv .tacocat elsewhere
refused elsewhere/.tacocat a.tacozip -- query @in --base-path . "$sql" -f csv -o @out
ln -s a.tacozip __TACOCAT__ && ln -s a.tacozip TACOLLECTION.json
refused a.tacozip __TACOCAT__ -- index @in --single-file --quiet
refused a.tacozip TACOLLECTION.json -- collect @in --quiet

# What has to change its input, or lies beside it, works.
show describe f --as card -o f/README.md
show describe f --as html -o f/index.html
show edit to_f --set title=New --quiet
show edit link.tacozip --set title=New --quiet
show index-tiffs a.tacozip --quiet
show index hard.tacozip -o elsewhere --overwrite --quiet
show query elsewhere/.tacocat 'SELECT id FROM data LIMIT 1' --base-path . -f csv -o rows.csv
show validate a.tacozip
show validate f
