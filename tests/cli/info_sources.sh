# The partitions that an index names; filters leave those that may hold something.
show info cascade_tacocat --sources
show info cascade_tacocat/TACOLLECTION.json --sources --bbox -10,35,5,45
show info cascade_tacocat/.tacocat --sources --datetime 2023-08-01/2023-10-01
show info cascade_tacocat --sources --bbox -10,35,5,45 --datetime 2024-01-01/..
show info cascade_tacocat --sources --json --bbox 100,0,140,40
taco info cascade_tacocat --sources --json | python3 -m json.tool >/dev/null && echo JSON
show info flat.tacozip --sources
