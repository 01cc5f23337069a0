# GeoTIFFs that are stored as TOGs: pixels, what stays as it is, other options, and that nothing is left behind.
mkdir -p "$scratch/chips"
for tile in tile_r0_c0 tile_r0_c1 tile_r1_c0; do taco read "$examples/landsat.tacozip" $tile -o "$scratch/chips/$tile.tif"; done
cp -r "$examples/scene" "$scratch/scene"
cd "$scratch"
echo "no raster" >chips/about.txt
taco tog chips/tile_r1_c0.tif chips/tog.tif --quiet
sums() { find chips scene -type f | sort | xargs cksum; }
before=$(sums)
about=(--id x --description D --license MIT --provider P --task other --quiet)
same_pixels() {
  for tile in $2; do
    taco read "$1" $tile --npy -o a.npy --overwrite && taco read "$3" $tile --npy -o b.npy --overwrite
    cmp a.npy b.npy && echo "$tile: same pixels"
  done
}
show create chips plain.tacozip "${about[@]}" --extensions geotiff_stats
show create chips togs.tacozip "${about[@]}" --tog --extensions tiff_index,geotiff_stats
same_pixels plain.tacozip "tile_r0_c0.tif tile_r0_c1.tif tile_r1_c0.tif tog.tif" togs.tacozip
show query togs.tacozip 'SELECT id, "stac:crs", "taco:header" IS NOT NULL AS has_index FROM data' -f csv
for set in plain togs; do taco query $set.tacozip 'SELECT id, "geotiff:stats" FROM data' -f csv >$set.csv; done
cmp plain.csv togs.csv && echo "same statistics"
taco read togs.tacozip about.txt
taco read togs.tacozip tog.tif | cmp - chips/tog.tif && echo "a TOG stays as it is"
show validate togs.tacozip --deep
# A table, ZIPs by a column, a folder; samples that are FOLDERs.
printf 'id,path,kind\na,chips/tile_r0_c0.tif,x\nb,chips/tile_r0_c1.tif,y\n' >table.csv
show create table.csv parts.tacozip "${about[@]}" --tog --group-by kind --extensions stac=2020-01-01 --block-size 64 --zstd-level 1
for part in parts_x parts_y; do taco info $part.tacozip --json | grep -o '"rows": 1'; done
taco create chips one.tacozip "${about[@]}" && taco create table.csv folder "${about[@]}" --tog --no-places && cmp <(taco read folder a --npy) <(taco read one.tacozip tile_r0_c0.tif --npy) && echo same
mkdir nested && mv scene nested/scene
show create nested nested.tacozip "${about[@]}" --tog --extensions tiff_index
show create chips old.tortilla --quiet --tog
mv nested/scene scene && rmdir nested
# On a terminal, the line of success counts TOGs and other files.
script -qefc "taco create chips said.tacozip --id x --description D --license MIT --provider P --task other --tog" /dev/null |
  tr '\r' '\n' | sed -nE 's/.*(taco: said.tacozip: [^;]*);/\1;/; s/[0-9.]+ s;/N s;/p'
# What is refused.
mkdir none && echo text >none/a.txt
show create none no "${about[@]}" --tog
show create chips no "${about[@]}" --block-size 64
show create chips no "${about[@]}" --tog --block-size 17
show create chips no "${about[@]}" --tog --zstd-level 23
show create chips nowhere/no.tacozip "${about[@]}" --tog
head -c 3000 chips/tile_r0_c0.tif >none/cut.tif
show create none no.tacozip "${about[@]}" --tog
rm -r none
[[ $(sums) == "$before" ]] && echo "the sources are as before"
ls -A
