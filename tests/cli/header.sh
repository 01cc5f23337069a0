# A file of headers beside a dataset, and what is refused.
cp "$examples/landsat.tacozip" "$examples/landsat_nested.tacozip" "$scratch"
cd "$scratch"
show index-tiffs landsat.tacozip
show index-tiffs landsat.tacozip
show index-tiffs landsat.tacozip --overwrite --jobs 2
show index-tiffs landsat_nested.tacozip -o elsewhere --quiet
ls -A
cp landsat.tacozip.headers again && taco index-tiffs landsat.tacozip --overwrite --jobs 1 --quiet && cmp again landsat.tacozip.headers && echo same
echo text >text.txt && mkdir texts && mv text.txt texts
taco create texts texts.tacozip --id texts --description Texts --license MIT --provider us --task other --quiet
show index-tiffs texts.tacozip
show index-tiffs none.tacozip
ls -A
