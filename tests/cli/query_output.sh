# A file gets the format of its name, appears whole, and is replaced only when that is said.
sql='SELECT id FROM data LIMIT 2'
cp flat.tacozip "$scratch"
cd "$scratch"
for name in rows.csv rows.JSON rows.parquet; do
  show query flat.tacozip "$sql" -o $name
done
cat rows.csv rows.JSON
head -c 4 rows.parquet; echo
show query flat.tacozip "$sql" -f csv --output rows.txt
cmp rows.csv rows.txt && echo same

echo old >rows.csv
show query flat.tacozip "$sql" -o rows.csv
cat rows.csv
chmod 600 rows.csv
show query flat.tacozip "$sql" -o rows.csv --overwrite
cat rows.csv
stat -c %a rows.csv

mkdir folder
show query flat.tacozip "$sql" -o folder -f csv
show query flat.tacozip "$sql" -o folder/none/rows.csv
show query none.tacozip "$sql" -o none.csv
show query flat.tacozip 'SELECT nope FROM data' -o none.csv --quiet | cut -c -20
show query flat.tacozip "$sql" -o /dev/null -f csv
ls -A
