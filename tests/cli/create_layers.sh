# Columns from layers of one's own: an elevation model and polygons (needs GDAL).
cp "$examples/scene/elevation.tif" "$scratch/dem.tif"
mkdir "$scratch/chips"
for tile in tile_r0_c0 tile_r3_c3; do taco read "$examples/landsat.tacozip" $tile -o "$scratch/chips/$tile"; done
cd "$scratch"
cat >borders.geojson <<'END'
{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Pernambuco"},
 "geometry": {"type": "Polygon", "coordinates": [[[-36, -9], [-34, -9], [-34, -7], [-36, -7], [-36, -9]]]}}]}
END
cat >layers.json <<'END'
{"elevation": {"path": "dem.tif", "source": "Olinda DEM", "version": "1"},
 "admin1": {"path": "borders.geojson", "field": "name", "source": "made", "version": "1"}}
END
about=(--id x --description D --license MIT --provider P --task other --quiet)
show create chips rai.tacozip "${about[@]}" --extensions rai=@layers.json
show query rai.tacozip 'SELECT id, "rai:elevation", "rai:admin1", "rai:pop" FROM data' -f csv
show columns rai.tacozip | grep elevation
show create chips geo.tacozip "${about[@]}" --extensions 'geo_enrich={"elevation": {"path": "dem.tif", "source": "Olinda DEM", "version": "1"}, "scale_m": 200}'
show query geo.tacozip 'SELECT id, round("geoenrich:elevation") AS elevation FROM data' -f csv
show validate rai.tacozip --deep
no() { show create chips no "${about[@]}" --extensions "$1"; }
no rai
no 'rai={"height": {"path": "dem.tif"}}'
no 'rai={"elevation": "dem.tif"}'
no 'rai={"elevation": {"path": "dem.tif"}}'
no 'rai={"elevation": {"path": "none.tif", "source": "s", "version": "1"}}' | sed 's/\(none.tif\).*/\1 .../'
no 'rai={"admin1": {"path": "borders.geojson", "field": "nom", "source": "s", "version": "1"}}'
no 'rai={"admin1": {"path": "dem.tif", "source": "s", "version": "1"}}'
