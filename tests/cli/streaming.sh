# Streaming TACO: chunks of rasters by id.
landsat=$PWD/$examples/landsat.tacozip
cd "$scratch"
about() {
  python3 -c '
import ast, struct, sys
data = sys.stdin.buffer.read()
size = struct.unpack("<H", data[8:10])[0]
head = ast.literal_eval(data[10:10 + size].decode())
print(head["descr"], head["shape"], sum(data[10 + size:]))'
}
mkdir -p chips/a chips/b
for chip in a b; do
  taco read $landsat tile_r0_c0 -o chips/$chip/red
done
cat >about.json <<JSON
{"id": "chips", "dataset_version": "1.0.0", "description": "Chips", "licenses": ["MIT"],
 "providers": [{"name": "Our lab"}], "curators": [{"name": "Ada"}],
 "extent": {"spatial": [-10, 35, 5, 45], "temporal": ["2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z"]}}
JSON
show create chips chips.taco --collection about.json --streaming
ls -A
show ls chips.taco a
show validate chips.taco
python3 -c '
import re, sys
data = open("chips.taco", "rb").read()
at = data.rindex(b"OFFSETLENGTH(") + 13
open("astray.taco", "wb").write(data[:at] + b"9" + data[at + 1:])'
show validate astray.taco
rm astray.taco
taco read chips.taco a/red --npy | about
taco read chips.taco a/red::0 --npy | about
taco read chips.taco b/red::0 --npy -o chunk.npy
show read chips.taco a/red::1 --npy -o none.npy
show read chips.taco a/red::0 -o none.tif
show read chips.taco a/red::0 --npy --bands 1 -o none.npy
show read chips.taco a/blue::0 --npy -o none.npy
show read chips.taco a::0 --npy -o none.npy
printf 'no raster' >chips/a/notes
printf 'no raster' >chips/b/notes
show create chips more.taco --collection about.json --streaming
show create chips more.taco --collection about.json --streaming --allow-non-tog
show create chips more.taco --collection about.json --allow-non-tog --overwrite
show create chips chips.tacozip --collection about.json --streaming
ls -A
# Tiles of a size that is asked for.
rm chips/*/notes
show create chips tiles.taco --collection about.json --streaming --block-size 32 --zstd-level 1
taco read tiles.taco a/red::3 --npy | about
show create chips tiles.tacozip --collection about.json --block-size 32
show create chips tiles2.taco --collection about.json --streaming --block-size 20
