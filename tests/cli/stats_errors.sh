show stats flat.tacozip
show stats $examples/landsat_nested.tacozip
show stats $examples/landsat_nested.tacozip --compute
show stats stats_ragged.tacozip
show stats stats_flat.tacozip --bands 10
show stats stats.tacozip --level 1
show stats stats.tacozip --level 1 --id nope
show stats stats.tacozip --level 1 --id all_null
show stats stats.tacozip --level 9 --id nan
