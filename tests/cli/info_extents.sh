# No extent, however odd, is a failure.
for name in dates_only null half_open antimeridian no; do
  echo "$name"
  taco info ${name}_extent.tacozip | grep -E '^(Extent|Time)'
  taco info ${name}_extent.tacozip --json | grep '^"extent"'
done
