# Names come out as they are, also those that CSV and SQL would quote.
show ls odd_names.tacozip
taco ls odd_names.tacozip --json | python3 -c '
import json, sys
print(*(row["id"] for row in json.load(sys.stdin)), sep="|")'
show ls odd_names_nested.tacozip "it's"
