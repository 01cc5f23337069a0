# A link stays a link when what it leads to is replaced.
cp flat.tacozip "$scratch"
cd "$scratch"
echo old >target.csv
ln -s target.csv link.csv
show query flat.tacozip 'SELECT id FROM data LIMIT 1' -o link.csv
show query flat.tacozip 'SELECT id FROM data LIMIT 1' -o link.csv --overwrite
cat target.csv
readlink link.csv
