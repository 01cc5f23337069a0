# A reader that has seen enough is no failure, and nothing is said about it.
sql="SELECT a.id || b.id || c.id || d.id || e.id AS id FROM data a, data b, data c, data d, data e"
taco query times.tacozip "$sql" -f csv | head -1
echo "exit ${PIPESTATUS[0]}"
taco ls flat.tacozip | true
