# One screen; `taco PATH` is short for it.
show info $examples/landsat_nested.tacozip
show flat.tacozip
show info six_levels.tacozip | grep -A 6 Tree
show info mixed_level1.tacozip | grep -A 5 Tree
