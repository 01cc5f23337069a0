# What is not asked for rightly is told before anything is read; what is there stays.
show describe flat.tacozip
show describe flat.tacozip --as pdf
show describe none.tacozip --as geoparquet
show describe none.tacozip --as all
show describe none.tacozip --as card --level 1
show describe none.tacozip --as stac --level 1
show describe none.tacozip --as card
show describe none.tacozip --as card --viewer-tables table
show describe none.tacozip --as html --viewer-tables table -o index.html
show describe none.tacozip --as card --viewer-tables ../table -o README.md
cd "$scratch"
echo kept >file
ln -s "$OLDPWD" golden
show describe golden/flat.tacozip --as html -o file
show describe golden/flat.tacozip --as geoparquet -o file
show describe golden/flat.tacozip --as stac -o file --overwrite
show describe golden/flat.tacozip --as all -o file --overwrite
cat file
show describe golden/flat.tacozip --as geoparquet -o new --level 1
show describe golden/no_extent.tacozip --as datacite
show describe golden/no_extent.tacozip --as geoparquet -o new
show describe golden/no_extent.tacozip --as stac -o new
ls
