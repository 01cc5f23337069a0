show stats stats.tacozip --level 1 --id categorical --json
show stats stats_flat.tacozip --json --bands 1
taco stats stats.tacozip --level 1 --id nan --json | python3 -m json.tool >/dev/null && echo JSON
