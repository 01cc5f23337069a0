# From the pixels; quantiles are exact where +- is 0.
show stats $examples/landsat.tacozip --compute
show stats $examples/landsat.tacozip --compute --bands 3 --quantile 0.02 --quantile 0.98 --jobs 1 --json
show stats $examples/landsat_nested.tacozip --compute --child dem
show stats $examples/landsat_nested.tacozip --compute --child optical --bands 1
show stats $examples/landsat.tacozip --compute --bands 5,1
show stats $examples/landsat.tacozip --quantile 0.5
show stats $examples/landsat.tacozip --compute --quantile 2
show stats $examples/landsat_nested.tacozip --compute --level 1
show stats $examples/landsat_nested.tacozip --compute --level 2 --id tile_r1_c1
# What a table of statistics is made of, stored with the samples and read back.
mkdir $scratch/tiles
for id in tile_r0_c0 tile_r0_c1; do taco read $examples/landsat.tacozip $id -o $scratch/tiles/$id.tif; done
printf '{"id": "x", "description": "D", "licenses": ["MIT"], "providers": [{"name": "P"}], "tasks": ["other"]}' >$scratch/about.json
(cd $scratch && show create tiles tiles.tacozip --collection about.json --quiet --extensions geotiff_stats,stats)
(cd $scratch && show stats tiles.tacozip --bands 3)
(cd $scratch && show stats tiles.tacozip --bands 3 --compute)
(cd $scratch && show query tiles.tacozip 'SELECT id, "stats:mean"[3] AS mean, "stats:std"[3] AS std FROM data' -f csv)
# A sample that cannot be read.
head -c 3000 $scratch/tiles/tile_r0_c1.tif >$scratch/tiles/tile_r0_c1.cut && mv $scratch/tiles/tile_r0_c1.cut $scratch/tiles/tile_r0_c1.tif
(cd $scratch && show create tiles cut.tacozip --collection about.json --quiet)
(cd $scratch && show stats cut.tacozip --compute --bands 3)
(cd $scratch && show stats cut.tacozip --compute --bands 3 --on-error skip)
(cd $scratch && show stats cut.tacozip --compute --on-error ignore)
(cd $scratch && show stats cut.tacozip --on-error skip)
(cd $scratch && show stats cut.tacozip --compute --skip-bad)
