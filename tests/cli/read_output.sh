# -o writes the same bytes, --vsi the path that GDAL opens.
taco read nested.tacozip asia/item_2 -o "$scratch/item"
cat "$scratch/item"; echo
cp nested.tacozip "$scratch"
cd "$scratch"
show read nested.tacozip asia/item_1 -o item
show read nested.tacozip asia/item_1 -o item --overwrite
cat item; echo
show read nested.tacozip asia/nope -o none
taco read nested.tacozip asia/item_0 --vsi | sed "s,$PWD/,,"
ls -A
