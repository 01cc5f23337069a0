# The second line says where to read on. The value of an option may be negative, and come with = or without.
taco query flat.tacozip --bbox 1,2
code=$?
taco query flat.tacozip 'SELECT id FROM data' --bbox -81.4,-18.4,-68.6,0 >/dev/null || echo "refused"
taco query flat.tacozip 'SELECT id FROM data' --bbox=-.5,39,0,40 >/dev/null || echo "refused"
exit $code
