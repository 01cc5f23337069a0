# Datasets in a chunk store, and out again.
ln -s "$PWD" "$scratch/golden"
cd "$scratch"
show sync golden/nested.tacozip store
show sync golden/nested.tacozip store
show sync golden/nested store --quiet
show sync golden/nested.tacozip store/second
show sync store back.tacozip
show sync store/nested.tacozip back.tacozip
cmp back.tacozip golden/nested.tacozip
show sync store/nested back
diff -r back golden/nested && echo same
show sync store/nested back
show sync store/nested back --overwrite
show sync store/nested other.tacozip
show sync store/none other.tacozip
show sync golden/nested.tacozip other.tacozip
show sync golden/nested.tacozip back.tacozip
show sync store golden
show sync none store
chunk=$(find store/chunks -type f -size +10k)  # the ZIP
echo >> "$chunk"
show sync store/nested.tacozip other.tacozip 2>&1 | sed 's/[0-9a-f]\{64\}/HASH/; s/chunks\/../chunks\/XX/'
ls -A . store store/datasets
