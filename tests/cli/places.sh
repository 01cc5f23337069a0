# TIFFs say where samples lie, and children where their FOLDER lies.
root=$PWD
landsat=$root/$examples/landsat.tacozip
cd "$scratch"
about=(--id x --description D --license MIT --provider P --task other --quiet)
for i in 0 1; do
  mkdir -p seg/t$i
  taco read "$landsat" tile_r0_c$i -o seg/t$i/image.tif
  cp seg/t$i/image.tif seg/t$i/mask.tif
done
echo text >seg/t0/note
echo text >seg/t1/note
show create seg seg.tacozip "${about[@]}"
show info seg.tacozip
show query seg.tacozip 'SELECT id FROM data' --bbox -34.888,-7.965,-34.886,-7.963 -f csv
show query seg.tacozip 'SELECT id FROM data' --bbox 0,0,1,1 -f csv
show query seg.tacozip 'SELECT id, "stac:crs", "stac:centroid" IS NULL AS no FROM level1' -f csv
# Why it is no TIFF is said by GDAL where it is there.
show create seg dated "${about[@]}" --extensions stac=2020-01-01 --overwrite | sed 's/\[note\] .*/[note] .../'
rm -r seg/*/note
show create seg dated "${about[@]}" --extensions stac=2020-01-01
show query dated 'SELECT id, "istac:time_start" FROM data' --datetime 2020-01-01 -f csv
show validate dated --deep
show create seg plain "${about[@]:0:10}" --no-places
taco info plain | grep Extent
show query plain 'SELECT * FROM level1 WHERE false' -f csv
taco info plain --json | grep extent
