# From the pixels; quantiles are exact where +- is 0.
show stats $examples/landsat.tacozip --compute
show stats $examples/landsat.tacozip --compute --band 2 --quantile 0.02 --quantile 0.98 --jobs 1 --json
show stats $examples/landsat_nested.tacozip --compute --child dem
show stats $examples/landsat_nested.tacozip --compute --child optical --band 0
show stats $examples/landsat.tacozip --quantile 0.5
show stats $examples/landsat.tacozip --compute --quantile 2
show stats $examples/landsat_nested.tacozip --compute --level 1
show stats $examples/landsat_nested.tacozip --compute --level 2 --id tile_r1_c1
