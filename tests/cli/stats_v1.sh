# W20: stats of what `taco create` makes of rasters, which stores mean, std, min and max, and no percentiles.
mkdir $scratch/two
taco read $examples/landsat.tacozip tile_r0_c0 -o $scratch/two/a.tif
taco read $examples/landsat_nested.tacozip tile_r1_c1/optical -o $scratch/two/b.tif
described="--id t --license MIT --provider P --task other --title T --description D --datetime 2020-01-01/2020-12-31"
cd $scratch
taco create two two.taco $described --quiet
show stats two.taco
show stats two.taco --bands 4
show stats two.taco --bands 4 --json
show stats two.taco --bands 4 --compute
# R11: histograms of a streaming file tell quantiles; +- is their bin.
taco create two streaming.taco $described --streaming --quiet
show stats streaming.taco --bands 4
show stats streaming.taco --bands 4 --quantile 0.5 --json
show stats streaming.taco --bands 4 --quantile 0.5 --compute
# W36: bands count from 1.
show stats two.taco --bands 0
show stats two.taco --bands 7
show stats two.taco --quantile 0.5
