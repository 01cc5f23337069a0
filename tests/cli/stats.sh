# A line for each band, counted from 1.
show stats stats_flat.tacozip
show stats stats.tacozip --level 1 --id continuous
show stats stats.tacozip --level 1 --id continuous --bands 2
show stats stats.tacozip --level 1 --id continuous --bands 2,1,2
show stats stats.tacozip --level 1 --id categorical
show stats stats.tacozip --level 1 --id one_pixel
show stats $examples/landsat.tacozip
