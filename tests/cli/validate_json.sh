# The keys of a finding, null where nothing is known; JSON whatever the name of the file.
summary='
import json, sys
found = json.load(sys.stdin)
print(len(found), sorted({key for issue in found for key in issue}))
for issue in found[:1]:
    print({key: type(value).__name__ for key, value in issue.items()}, ascii(issue["path"]))'
show validate flat.tacozip --json
taco validate permuted_offsets.tacozip --json --quiet | python3 -c "$summary"
name=$'tab\t "quoted" \xff\x01 \xc3\xa9.tacozip'
cp permuted_offsets.tacozip "$scratch/$name"
cd "$scratch"
taco validate "$name" --json --quiet | python3 -c "$summary"
taco validate "$name" 2>&1 | grep -c '^error OFF-1 tab\\x09 "quoted" .*\\x01 é.tacozip level 1 byte [0-9]*: '
# What cannot be opened is a finding, too.
show validate none.tacozip --json --quiet
