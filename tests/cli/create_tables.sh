# Tables with other separators and names become datasets; what is wrong with them is told with what to type instead.
cp $examples/landsat.tacozip "$scratch"
cd "$scratch"
mkdir chips
for chip in tile_r0_c0 tile_r0_c1; do taco read landsat.tacozip $chip -o chips/$chip.tif; done
about=(--id chips --description Chips --license MIT --provider P --task other --quiet)
# Semicolons, CR LF and a byte order mark, as spreadsheets write them.
printf '\xef\xbb\xbf"name";"filename";"land cover class";"day"\r\n"north";"chips/tile_r0_c0.tif";"water";"2024-05-01"\r\n"south";"chips/tile_r0_c1.tif";"forest";"2024-06"\r\n' >sites.csv
show create sites.csv sites.tacozip "${about[@]}"
show create sites.csv sites.tacozip "${about[@]}" --id-column name
show create sites.csv sites.tacozip "${about[@]}" --id-column name --path-column filename
names=(--id-column name --path-column filename --rename "land cover class=land_cover")
show create sites.csv sites.tacozip "${about[@]}" "${names[@]}" --extensions stac
show create sites.csv sites.tacozip "${about[@]}" "${names[@]}" --extensions stac --time-column days
show create sites.csv sites.tacozip "${about[@]}" "${names[@]}" --extensions stac --time-column day
show query sites.tacozip 'SELECT id, land_cover, "stac:time_start", "stac:crs" FROM data' -f csv
show validate sites.tacozip --deep
show create sites.csv other.tacozip "${about[@]}" "${names[@]}" --extensions istac --time-column day
show query other.tacozip 'SELECT id, "istac:time_start" FROM data' -f csv
show create chips no "${about[@]}" --time-column day
show create sites.csv no "${about[@]}" --rename land
show create sites.csv no "${about[@]}" --id-column name --rename day=id
show create sites.csv no "${about[@]}" --separator ';;'
# Tabs and bars; one character among several is given.
printf 'id\tpath\tv\na\tchips/tile_r0_c0.tif\t1\n' >tabs.tsv
show create tabs.tsv tabs.tacozip "${about[@]}"
printf 'id|path|v\na|chips/tile_r0_c0.tif|1\n' >bars.csv
show create bars.csv bars.tacozip "${about[@]}"
printf 'id\tclass\na\tforest\n' >classes.tsv
show edit bars.tacozip --columns classes.tsv
show query bars.tacozip 'SELECT id, v, class FROM data' -f csv
printf 'id:path\na:chips/tile_r0_c0.tif\n' >colons.csv
show create colons.csv colons.tacozip "${about[@]}" --separator :
printf 'a,b;c\n1,2;3\n' >unclear.csv
show create unclear.csv no "${about[@]}"
printf 'id;path;v\na;chips/tile_r0_c0.tif;1,5\nb;chips/tile_r0_c1.tif;2\n' >comma.csv
show create comma.csv no "${about[@]}"
printf 'id,path,v\na,chips/tile_r0_c0.tif,1,5\nb,chips/tile_r0_c1.tif\n' >ragged.csv
show create ragged.csv no "${about[@]}"
printf 'id,path,name\na,chips/tile_r0_c0.tif,C\364te\n' >latin1.csv
show create latin1.csv no "${about[@]}"
# The first column of a table of pandas has no name.
printf ',id,path\n7,a,chips/tile_r0_c0.tif\n' >index.csv
show create index.csv no "${about[@]}"
show create index.csv index.tacozip "${about[@]}" --rename =row
show query index.tacozip 'SELECT id, row FROM data' -f csv
# All faults of rows at once, with their lines; a long list is cut.
cat >faults.csv <<'CSV'
id,path,stac:time_start
a,chips/tile_r0_c0.tif,2024-05-01
a,chips/tile_r0_c1.tif,2024-05-01

b:c,chips/tile_r0_c1.tif,2024-05-01
d,chips/none.tif,yesterday
,chips/tile_r0_c1.tif,2024-05-01
e,,
f,chips,01/05/2024
CSV
show create faults.csv no "${about[@]}"
{ echo id,path; for i in {1..30}; do echo "c$i,none$i.tif"; done; } >many.csv
show create many.csv no "${about[@]}"
ls
