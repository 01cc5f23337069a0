# An export that records its provenance, and is made again: the same bytes, or what changed.
cp nested.tacozip "$scratch"
cp -r nested "$scratch/folder"
cp polygons.tacozip v1/flat.taco "$scratch"
cd "$scratch"
export SOURCE_DATE_EPOCH=1700000000 TMPDIR=$PWD/temporary
mkdir temporary
show export nested.tacozip one.tacozip "SELECT * FROM data ORDER BY id LIMIT 2" --provenance --quiet
export SOURCE_DATE_EPOCH=1800000000
show replay one.tacozip
show replay one.tacozip --json
show replay one.tacozip again.tacozip --quiet
cmp one.tacozip again.tacozip
show replay one.tacozip again.tacozip
show replay one.tacozip again.tacozip --overwrite --quiet
show replay one.tacozip other
show replay one.tacozip one.tacozip --overwrite
# The hash of the metadata is that of sha256sum.
show export folder two --bbox -180,-90,180,90 --level 1 --provenance --quiet
stated=$(grep -o '"metadata_sha256": "[0-9a-f]*"' two/COLLECTION.json | cut -d '"' -f 4)
computed=$(cd folder && sha256sum COLLECTION.json METADATA/level*.parquet | sha256sum | cut -d ' ' -f 1)
[[ $stated == "$computed" ]] && echo "the same hash"
grep -c "$scratch" two/COLLECTION.json
show replay two
show replay two/ --json
# Of several datasets, which lie elsewhere.
mkdir elsewhere
show concat folder nested.tacozip elsewhere/all.tacozip --provenance --quiet
show replay elsewhere/all.tacozip --source folder --source nested.tacozip
show replay elsewhere/all.tacozip --source folder
# Data that changed, beside the same metadata.
file=$(cd folder && find DATA -type f ! -name __meta__ | LC_ALL=C sort | head -n 1)
printf X | dd of="folder/$file" conv=notrunc status=none
show replay two
# A source that changed, is another one, or is missing.
taco edit nested.tacozip --set title=Other --quiet
show replay one.tacozip | sed "s/'[0-9a-f]\{64\}'/HASH/g"
show replay one.tacozip --source polygons.tacozip
show replay one.tacozip --source flat.taco
mv nested.tacozip moved.tacozip
show replay one.tacozip
show replay one.tacozip --source none.tacozip
show replay polygons.tacozip
show replay flat.taco
show replay
# What cannot be done again.
show export moved.tacozip no.tacozip "SELECT * FROM data USING SAMPLE 1 ROWS" --provenance
show export moved.tacozip no.tacozip "SELECT * FROM data ORDER BY type" --provenance
show export moved.tacozip no.taco --provenance
# A full disk: nothing is left.
cp moved.tacozip nested.tacozip
taco edit nested.tacozip --unset title --quiet
show export nested.tacozip three.tacozip --provenance --quiet
(ulimit -f 1; trap '' XFSZ; show replay three.tacozip four.tacozip) | sed 's/ (byte [0-9]*)//'
(ulimit -f 1; trap '' XFSZ; show replay three.tacozip) | sed 's|/.*/temporary/\.replay\.[^/]*|PLACE|; s/ (byte [0-9]*)//'
ls -A . temporary
