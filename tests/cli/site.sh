# A catalogue of the datasets below a folder or of a list, and what info lists of them.
mkdir -p "$scratch/archive/north"
cp -r cascade_tacocat nested "$scratch/archive"
cp "$examples/landsat.tacozip" flat.tacozip "$scratch/archive/north"
cp v1/nested.tortilla v1/parts/*.tortilla "$scratch/archive"
cp flat.tacozip "$scratch/archive/flat.tacozip"
cd "$scratch"
ln -s .. archive/north/up
show info archive
show info archive --json
show site archive/ -o archive/site --title 'Our archive' --base-url https://example.org/archive/site --jobs 1
(cd archive/site && find . -type f | LC_ALL=C sort && cat sitemap.xml robots.txt)
show info archive/site --json
python3 - <<'END'
import json
catalogue = json.load(open("archive/site/catalog.json"))
print(catalogue["id"], catalogue["title"], catalogue["description"], sep=" | ")
for link in catalogue["links"]:
    print(link["rel"], link["href"], link.get("title", ""))
END
printf '# two\narchive/north/landsat.tacozip\tOlinda\n\narchive/nested\n' >list.txt
show site list.txt -o archive/site
show site list.txt -o archive/site --overwrite --data-url s3://bucket
show info archive/site/catalog.json

# What cannot be read is left out, or an error; nothing else is replaced, and nothing half-written.
echo broken >archive/broken.tacozip
show info archive/north
show site archive -o new --jobs 1
show site archive -o other --strict
show site archive -o archive/north --overwrite
show site archive -o archive/nested/DATA/site
show site archive -o new --overwrite --base-url example.org
printf 'archive/north\narchive/missing.tacozip\n' >list.txt
show site list.txt -o other
printf 'http://127.0.0.1:1/a.tacozip\n' >list.txt
show site list.txt -o other --max-tries 1
show site archive/flat.tacozip -o other
show site s3://bucket/archive -o other
show site archive
show site new -o other
mkdir empty
show info empty
echo '{"links": [{"taco:dataset": {"path": 5}}]}' >empty/catalog.json
show info empty/catalog.json
ls -A
