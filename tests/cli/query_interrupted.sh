# SIGTERM in the middle of a query leaves nothing behind.
cp times.tacozip "$scratch"
cd "$scratch"
# 11 rows to the 12th power: this does not end by itself.
sql='SELECT max(a.id || l.id) AS id FROM data a'
for name in b c d e f g h i j k l; do sql+=", data $name"; done
taco query times.tacozip "$sql" -o rows.csv &
for _ in $(seq 1000); do
  [[ -z $(find . -name '.rows.csv.*') ]] || break
  sleep 0.01
done
ls -A | sed "s/[.][0-9a-f]\{16\}[.]/.N./"
kill -TERM $!
wait $! 2>/dev/null
echo "exit $?"
ls -A
