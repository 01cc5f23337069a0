# What is most likely a mistake is refused or warned of.
cp $examples/landsat.tacozip "$scratch"
cd "$scratch"
mkdir chips && echo x >chips/a
about=(--id x --description D --license MIT --provider P --task other --no-places)
show create chips chips.tacozp "${about[@]}"
show create chips made.f/ "${about[@]}"
show create chips made-1.0 "${about[@]}"
show create chips plain.tacozip "${about[@]}" --license CC-BY-4
ls
show edit plain.tacozip --set titel=x
show edit plain.tacozip --set titel=x --force
show edit plain.tacozip --set titel=y
show edit plain.tacozip --set rai:bias=x
show edit plain.tacozip --set licenses=foo
printf '{"id": "x", "description": "D", "licenses": ["MIT"], "providers": [{"name": "P"}], "tasks": ["other"], "taco_version": "0.5.0"}' >about.json
show create chips old.tacozip --collection about.json
printf 'id,path,word,code,big,real,half\na,chips/a,1,007,9007199254740993,0.1,1\nb,chips/a,abc,008,1.5,7,abc\nc,chips/a,3,9,2,,\n' >numbers.csv
show create numbers.csv numbers.tacozip "${about[@]}"
show query numbers.tacozip 'SELECT id, word, code, big, real FROM data' -f csv
printf 'id,path\na,no1\nb,no2\nc,\n' >missing.csv
show create missing.csv missing.tacozip "${about[@]}"
taco convert landsat.tacozip f --quiet
echo x >f/DATA/notes.txt
show convert f f.tacozip
