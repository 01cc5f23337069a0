# What reading takes of a server: nothing for a local dataset, but the files that are read are counted.
landsat=$examples/landsat.tacozip
show plan "$landsat"
show plan "$landsat" "SELECT id FROM data WHERE split = 'test'" --json
show plan "$landsat" --epoch --batch-size 4 --seed 1
show plan "$landsat" --batch-size 4
show plan "$landsat" "SELECT no FROM data"
show plan "$landsat" --epoch --input nothing
show plan "$landsat" --max-requests-per often
