# What SQL may not do is an error of the data, not of the command line: exit code 1, one line.
for sql in '' 'SELEC id' 'DROP TABLE data' 'SELECT 1; SELECT 2' "SELECT * FROM read_csv('/etc/passwd')" \
           "COPY data TO 'x.csv'" 'SET threads = 1'; do
  taco query flat.tacozip "$sql" >/dev/null 2>"$scratch/stderr"
  echo "exit $?, $(wc -l <"$scratch/stderr") line: $(cut -c -10 "$scratch/stderr")"
done
taco query flat.tacozip 'SELECT nope FROM data' 2>&1 | grep -o 'nope" not found'
