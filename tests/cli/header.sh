# A file of headers beside a dataset, and what is refused.
cp "$examples/landsat.tacozip" "$examples/landsat_nested.tacozip" "$scratch"
cd "$scratch"
show header landsat.tacozip
show header landsat.tacozip
show header landsat.tacozip --overwrite --jobs 2
show header landsat_nested.tacozip -o elsewhere --quiet
ls -A
cp landsat.tacozip.headers again && taco header landsat.tacozip --overwrite --jobs 1 --quiet && cmp again landsat.tacozip.headers && echo same
echo text >text.txt && mkdir texts && mv text.txt texts
taco create texts texts.tacozip --id texts --description Texts --license MIT --provider us --task other --quiet
show header texts.tacozip
show header none.tacozip
ls -A
