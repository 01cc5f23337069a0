# A box finds centroids, as published readers do; with --footprint it finds what samples cover. An empty answer says
# what was tested, and where the dataset is.
box=-34.888,-7.965,-34.886,-7.963
show query $examples/landsat.tacozip 'SELECT id FROM data' --bbox $box
show query $examples/landsat.tacozip 'SELECT id FROM data' --bbox $box --footprint
show query $examples/landsat.tacozip 'SELECT id FROM data' --bbox -8.03,-34.9,-7.9,-34.8
show query $examples/landsat.tacozip 'SELECT id FROM data' --footprint
