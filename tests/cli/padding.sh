# Padding is invisible: in counts, lists, rows and reads.
for path in flat_padded.tacozip nested_padded.tacozip nested_padded; do
  taco info $path --json | python3 -c '
import json, sys
print(sys.argv[1], [level["rows"] for level in json.load(sys.stdin)["levels"]])' $path
done
show ls flat_padded.tacozip
show ls nested_padded two
show query flat_padded.tacozip 'SELECT count(*) AS n FROM data' -f csv
show query nested_padded.tacozip 'SELECT id, score FROM level1' -f csv
show read nested_padded.tacozip two/__TACOPAD__0
show read flat_padded.tacozip __TACOPAD__0
