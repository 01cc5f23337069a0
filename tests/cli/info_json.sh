# The keys that programs rely on, in every container, and COLLECTION.json as it is.
for path in flat.tacozip nested nested.tacozip cascade_tacocat cascade_tacocat/__TACOCAT__ \
            cascade_tacocat/TACOLLECTION.json extra_entries.zip; do
  taco info $path --json | python3 -c '
import json, sys
info = json.load(sys.stdin)
print(sys.argv[1], info["format"], info["id"], info["taco_version"], info["dataset_version"])
print(" ", *info)
print(" ", [(level["level"], level["rows"], len(level["columns"])) for level in info["levels"]])
print(" ", info["pit_schema"]["root"], "taco:pit_schema" in info["collection"])' $path
done
taco info nested.tacozip --json | python3 -c '
import json, sys, zipfile
info = json.load(sys.stdin)
assert info["collection"] == json.loads(zipfile.ZipFile("nested.tacozip").read("COLLECTION.json"))
print(info["levels"][1]["columns"])'
