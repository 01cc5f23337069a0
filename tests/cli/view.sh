# The page of a dataset: served on this machine until Ctrl-C, or written as one file.
cp $examples/landsat.tacozip "$scratch/landsat.tacozip"
cp -r nested "$scratch/nested"
cd "$scratch"
show view
show view --port 80 -o page.html
show view landsat.tacozip --server https://example.org
show view --server https://example.org -o page.html
show view absent.tacozip -o page.html
show view landsat.tacozip -o landsat.tacozip --overwrite
show view landsat.tacozip --port 70000

facts() {
  grep -o 'connect-src [^;]*' "$1"
  grep -o '"config">[^<]*' "$1"
}
show view landsat.tacozip -o page.html
facts page.html
show view landsat.tacozip -o page.html
mkdir site
show view nested -o site/index.html --overwrite
facts site/index.html
show view landsat.tacozip -o site/hosted.html --base-url https://example.org/data --server https://cdn.example.org
facts site/hosted.html
show view landsat.tacozip -o site/other.html --server 'https://a; script-src *'
taco view -o any.html
facts any.html

# The description of a dataset links its page.
show describe landsat.tacozip --as html --viewer page.html --thumbnails 0 -o about.html
grep -o 'class="viewer" href="[^"]*"' about.html
show describe landsat.tacozip --as stac --viewer page.html
show describe landsat.tacozip --as all -o about --thumbnails 0
grep -o 'class="viewer" href="[^"]*"' about/index.html
facts about/viewer.html

# The server: the page, a range of the dataset, and nothing else.
taco view nested --no-browser >address 2>said &
server=$!
for _ in {1..100}; do [[ -s address ]] && break; sleep 0.1; done
sed -E 's/[0-9]{4,5}\/[0-9a-f]{32}/PORT\/TOKEN/' address
cat said
python3 - "$(cat address)" <<'END'
import sys
import urllib.error
import urllib.request

page = sys.argv[1]

def get(url, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()

print(get(page)[1][:15])
print(get(page + "files/nested/METADATA/level0.parquet", Range="bytes=0-3"))
for other in ("files/page.html", "files/nested/../page.html", "files/nested/absent", "page.html", "../", "../x/files/nested/COLLECTION.json"):
    print(other, get(page + other)[0])
END
kill -INT $server
wait $server
echo "ended with $?"
