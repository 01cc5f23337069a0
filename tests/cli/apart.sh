# No output destroys what is read.
cp $examples/landsat_nested.tacozip "$scratch/a.tacozip"
cd "$scratch"
mkdir chips && echo x >chips/x
about=(--id x --description D --license MIT --provider P --task other --quiet)
taco convert a.tacozip f --quiet
ln -s a.tacozip link.csv
ln a.tacozip hard.parquet
show query a.tacozip 'SELECT id FROM data' -f csv -o a.tacozip --overwrite
show query a.tacozip 'SELECT id FROM data' -o link.csv --overwrite
show query a.tacozip 'SELECT id FROM data' -o hard.parquet --overwrite
show query f 'SELECT id FROM data' -f csv -o f/DATA/rows.csv
show read a.tacozip tile_r1_c1/dem -o a.tacozip --overwrite
show export a.tacozip a.tacozip 'SELECT * FROM data LIMIT 1' --overwrite --quiet
show export f f/DATA/sub --quiet
show export f f/sub.tacozip --quiet
show convert a.tacozip . --overwrite --quiet
show describe f --as stac -o f/stac
show describe a.tacozip --as card -o a.tacozip --overwrite
show create chips chips/x.tacozip "${about[@]}"
show concat a.tacozip f a.tacozip --overwrite --quiet
show tog chips/x chips/x --overwrite
taco index a.tacozip --quiet
show query .tacocat 'SELECT id FROM data LIMIT 1' -f csv -o rows.csv
show query .tacocat 'SELECT id FROM data LIMIT 1' -f csv -o a.tacozip --overwrite
show validate a.tacozip
ls
