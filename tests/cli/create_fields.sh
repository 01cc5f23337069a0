# A table describes the columns of a dataset: what they mean, their units and classes.
cp $examples/landsat.tacozip "$scratch"
cd "$scratch"
mkdir chips
for chip in tile_r0_c0 tile_r0_c1; do taco read landsat.tacozip $chip -o chips/$chip.tif; done
about=(--id chips --description Chips --license MIT --provider P --task classification --quiet)
printf 'id,path,label,ndvi,height\na,chips/tile_r0_c0.tif,0,0.25,2\nb,chips/tile_r0_c1.tif,1,0.75,9\n' >samples.csv
printf 'name,description,unit,classes\nid,Tile of the scene,,\nlabel,Land cover,,0=water;1=forest\nndvi,Mean vegetation index,1,\nheight,,m,\nstac:crs,UTM zone,,\n' >fields.csv
show create samples.csv chips.tacozip "${about[@]}" --fields fields.csv
show columns chips.tacozip
show validate chips.tacozip --deep
taco describe chips.tacozip --as markdown | grep -A 8 "## Labels"
taco describe chips.tacozip --as card | grep -E "label|ndvi"
taco describe chips.tacozip --as croissant | grep -E "Land cover|forest"
printf 'name,descripton\nlabel,Land cover\n' >fields.csv
show create samples.csv no "${about[@]}" --fields fields.csv
printf 'column;description;classes\nlable;Land cover;\nndvi;;low\nndvi;Index;\n' >fields.csv
show create samples.csv no "${about[@]}" --fields fields.csv
show create samples.csv no.taco "${about[@]}" --fields fields.csv
show create samples.csv no "${about[@]}" --fields none.csv
ls
