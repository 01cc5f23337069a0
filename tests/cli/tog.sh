# A TOG of a sample: structure, what is refused, and that nothing is left behind.
tiff=/vsisubfile/$(taco read "$examples/landsat.tacozip" tile_r0_c0 --vsi | sed 's,^/vsisubfile/\([0-9_]*\)\,.*,\1,'),$(realpath "$examples/landsat.tacozip")
cd "$scratch"
taco tog "$tiff" scene.tog.tif --block-size 64 --quiet
head -c 8 scene.tog.tif | od -An -tx1
strings -n 12 scene.tog.tif | head -8
taco tog "$tiff" again.tif --block-size 64 --jobs 1 && cmp scene.tog.tif again.tif && echo same
taco tog "$tiff" other.tif --block-size 16 --zstd-level 1 --quiet && ls
show tog scene.tog.tif again.tif
show tog scene.tog.tif scene.tog.tif --overwrite --block-size 64
cmp scene.tog.tif again.tif && echo same
show tog scene.tog.tif x.tif --block-size 100
show tog scene.tog.tif x.tif --zstd-level 23
show tog scene.tog.tif x.tif --block-size many
show tog none.tif x.tif
show tog scene.tog.tif nowhere/x.tif
show tog scene.tog.tif
head -c 300 scene.tog.tif >cut.tif
show tog cut.tif x.tif
ls -A
