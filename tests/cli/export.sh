# A dataset of a part of another, of several, and in the other container.
ln -s "$PWD" "$scratch/golden"
cd "$scratch"
export SOURCE_DATE_EPOCH=1700000000
show export golden/nested.tacozip one.tacozip "SELECT * FROM data LIMIT 1" --id one --quiet
show info one.tacozip
show validate one.tacozip --deep
show export golden/nested.tacozip one.tacozip
show export golden/nested.tacozip two "SELECT * FROM data WHERE id = 'no'"
show export golden/nested.tacozip two --level 1
show export golden/nested.tacozip two "SELECT id FROM data"
show export golden/uneven_children.tacozip uneven --strict
show convert one.tacozip one
show convert one one
show convert one other
show convert one one.tacozip --overwrite
show concat one.tacozip one both.tacozip --id both
show ls both.tacozip
show concat one both.tacozip
show concat one one --mode all again
ls -A
