# An index apart from its parts says where they are.
mkdir "$scratch/index"
cp -r cascade_tacocat/.tacocat cascade_tacocat/TACOLLECTION.json "$scratch/index"
cp -r cascade_tacocat "$scratch/parts"
cd "$scratch"
for index in index/.tacocat index/TACOLLECTION.json; do
  show read $index europe/country_0/city_0 --base-path parts
  echo
  show ls $index asia --base-path parts
  show query $index 'SELECT id FROM data' -f csv --base-path parts
  taco info $index --base-path parts --json | grep '"format"'
done
show read index/.tacocat europe/country_0/city_0
show query index/TACOLLECTION.json
# Parts and index moved together need nothing.
show read parts europe/country_0/city_0; echo
