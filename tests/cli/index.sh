# Indexes over ZIPs that are there, and what is refused.
cd "$scratch"
mkdir -p chips zips more elsewhere
printf '{"id": "chips", "description": "Chips", "licenses": ["MIT"], "providers": [{"name": "Our lab"}], "tasks": ["other"]}' >about.json
for part in a b c; do
  head -c 60 /dev/zero >"chips/$part"
  printf 'id,path,cloud\n%s,chips/%s,1.5\n' "$part" "$part" >"$part.csv"
  taco create "$part.csv" "zips/$part.tacozip" --collection about.json --quiet
done
printf 'id,path,snow\nd,chips/a,2\n' >d.csv
taco create d.csv more/d.tacozip --collection about.json --quiet
taco create a.csv more/folder --collection about.json --quiet
show index zips/a.tacozip zips/b.tacozip
ls -A zips zips/.tacocat
show ls zips
show validate zips --deep
show index zips/a.tacozip zips/b.tacozip zips/c.tacozip
show index zips/a.tacozip zips/b.tacozip zips/c.tacozip --overwrite --jobs 1 --parquet compression=snappy
show query zips/.tacocat "SELECT id, cloud FROM data"
show index zips/a.tacozip zips/b.tacozip -o elsewhere --single-file
show ls elsewhere/__TACOCAT__ --base-path zips
show index zips/a.tacozip more/d.tacozip
show index zips/a.tacozip more/d.tacozip -o elsewhere
show index zips/a.tacozip more/d.tacozip -o elsewhere --allow-different-columns --quiet
show index zips/a.tacozip zips/a.tacozip -o elsewhere
show index zips/a.tacozip more/folder -o elsewhere
show index zips/none.tacozip
show index zips/a.tacozip -o nowhere
show index
show index zips/a.tacozip --parquet compression=zip --overwrite
show collect zips/a.tacozip more/folder -o .
show ls .
show validate TACOLLECTION.json
show collect zips/a.tacozip -o .
show collect zips/a.tacozip zips/b.tacozip -o . --overwrite
show collect more/folder -o elsewhere
show ls elsewhere/TACOLLECTION.json --base-path more
show collect zips/.tacocat -o more
show collect zips/a.tacozip --single-file
ls -A . elsewhere
