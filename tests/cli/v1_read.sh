# Tortilla and TACO before 2.0, as any dataset.
show info v1/nested.taco
show info v1/rai.tortilla
show info v1/parts/set.0001.part.tortilla
show ls v1/nested.taco
show ls v1/nested.taco img1
show query v1/types.tortilla "SELECT id, \"tortilla:file_format\" AS format, \"stac:time_start\" AS start, n FROM data"
show query v1/flat.tortilla "SELECT id, split_part(\"internal:subfile\", ',', 1) AS place FROM data" --bbox -3.5,41,-1.5,43
show query v1/nested.tortilla "SELECT id FROM data" --datetime 2020-09-14/2020-09-15
show read v1/mixed.tortilla note
show read v1/mixed.tortilla img1/hrf
echo; taco read v1/mixed.tortilla img1/hrf --vsi | cut -d, -f1
show ls v1/uneven.tortilla two
