# The same rows in each encoding; a table when nothing is said.
sql='SELECT id, cloud_cover, "istac:time_start" AS time, "istac:centroid" AS centroid FROM data LIMIT 2'
for format in table csv json; do
  show query flat.tacozip "$sql" -f $format
done
show query flat.tacozip 'SELECT id FROM data LIMIT 1'
taco query flat.tacozip -f parquet | head -c 4; echo
show query flat.tacozip "SELECT NULL AS a, 'nan'::DOUBLE AS b, '-inf'::DOUBLE AS c, 'x\"' || chr(9) || chr(1) AS d" -f json
show query flat.tacozip "SELECT NULL AS a, 'nan'::DOUBLE AS b, '-inf'::DOUBLE AS c, '' AS d" -f csv
taco query times.tacozip -f json | python3 -m json.tool >/dev/null && echo JSON
