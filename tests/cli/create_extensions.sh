# Columns that are computed while a dataset is made.
cd "$scratch"
echo pixels >a.tif
cat >scenes.jsonl <<'END'
{"id": "madrid", "path": "a.tif", "stac:crs": "EPSG:4326", "stac:tensor_shape": [3, 100, 100], "stac:geotransform": [-4.2, 0.01, 0, 40.9, 0, -0.01], "stac:time_start": "2024-01-31T10:00:00Z"}
{"id": "suva", "path": "a.tif", "stac:crs": "EPSG:4326", "stac:tensor_shape": [3, 100, 100], "stac:geotransform": [177.5, 0.01, 0, -17.5, 0, -0.01], "stac:time_start": "2024-02-01T10:00:00Z"}
{"id": "apia", "path": "a.tif", "stac:crs": "EPSG:4326", "stac:tensor_shape": [3, 100, 100], "stac:geotransform": [-172.2, 0.01, 0, -13.4, 0, -0.01], "stac:time_start": "2024-02-02T10:00:00Z"}
END
printf '{"id": "x", "description": "D", "licenses": ["MIT"], "providers": [{"name": "P"}], "tasks": ["other"]}' >about.json
about=(--collection about.json --quiet)
show create scenes.jsonl scenes.tacozip "${about[@]}" --extensions stac,majortom,spatial_grouping=2
show info scenes.tacozip
show query scenes.tacozip 'SELECT id, "majortom:code", "spatialgroup:code" FROM data' -f csv
show query scenes.tacozip --bbox 170,-20,-170,-10 'SELECT id FROM data' -f csv
show validate scenes.tacozip --deep
show create scenes.jsonl cells "${about[@]}" --extensions stac --extensions majortom=1000
show query cells 'SELECT id, "majortom:code" FROM data' -f csv
show create scenes.jsonl no "${about[@]}" --extensions geotiff_stats
show create scenes.jsonl no "${about[@]}" --extensions majortom
show create scenes.jsonl no "${about[@]}" --extensions istac
show create scenes.jsonl no "${about[@]}" --extensions geotiff
show create scenes.jsonl no "${about[@]}" --extensions majortom=far
show create scenes.jsonl no "${about[@]}" --extensions spatial_grouping
show create scenes.jsonl no "${about[@]}" --extensions spatialgrouping=2
show create scenes.jsonl no "${about[@]}" --extensions stats=1
ls
