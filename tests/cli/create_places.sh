# STAC and ISTAC columns that come from the rasters themselves.
cd "$scratch"
# 4 x 3 pixels of 8 bits in degrees, half a degree each, from WEST NORTH on.
tiff() {
  python3 -c '
import struct, sys
west, north = map(float, sys.argv[2:])
doubles = [(33550, [0.5, 0.5, 0]), (33922, [0, 0, 0, west, north, 0])]
keys = [1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326]
pixels, blobs, fields, at = bytes(range(12)), b"", [], 8 + 12
def out_of_line(tag, kind, values, code):
    global blobs, at
    fields.append((tag, kind, len(values), at))
    data = struct.pack("<" + code * len(values), *values); blobs += data; at += len(data)
for tag, value in [(256, 4), (257, 3), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 3), (279, 12)]:
    fields.append((tag, 4, 1, value))
for tag, values in doubles: out_of_line(tag, 12, values, "d")
out_of_line(34735, 3, keys, "H")
directory = struct.pack("<H", len(fields)) + b"".join(struct.pack("<HHII", *f) for f in fields) + bytes(4)
open(sys.argv[1], "wb").write(struct.pack("<2sHI", b"II", 42, at) + pixels + blobs + directory)' "$@"
}
tiff madrid.tif -4 41
tiff suva.tif 179 -17
cat >scenes.jsonl <<'END'
{"id": "madrid", "path": "madrid.tif", "stac:time_start": "2024-01-31T10:00:00Z"}
{"id": "suva", "path": "suva.tif", "stac:time_start": "2024-02-01T10:00:00Z"}
END
mkdir images && cp madrid.tif suva.tif images
printf '{"id": "x", "description": "D", "licenses": ["MIT"], "providers": [{"name": "P"}], "tasks": ["other"]}' >about.json
about=(--collection about.json --quiet)
show create scenes.jsonl scenes.tacozip "${about[@]}" --extensions stac,majortom
show query scenes.tacozip 'SELECT id, "stac:crs", "stac:tensor_shape", "stac:geotransform", "stac:time_start", "majortom:code" FROM data' -f csv
show create images images.tacozip "${about[@]}" --extensions istac=2024-03-01T00:00:00Z
show query images.tacozip 'SELECT id, "istac:crs", "istac:time_start" FROM data' -f csv
show query images.tacozip --bbox 179.5,-18,-179.5,-17 'SELECT id FROM data' -f csv
show query images.tacozip --bbox -179.5,-18,-179.4,-17 'SELECT id FROM data' -f csv
show query images.tacozip --bbox 0,-18,1,-17 'SELECT id FROM data' -f csv
show validate images.tacozip --deep
show create images stats.tacozip "${about[@]}" --extensions geotiff_stats,stats
show query stats.tacozip 'SELECT id, "geotiff:stats", "stats:mean" FROM data' -f csv
show create images no "${about[@]}" --extensions header
show create images no "${about[@]}" --extensions tiff_index
show create images no "${about[@]}" --extensions stac
show create images no "${about[@]}" --extensions stac=yesterday
head -c 100 madrid.tif >images/broken.tif
taco create images no "${about[@]}" --extensions stac=2024-03-01T00:00:00Z 2>&1 | cut -d: -f1,3
