# A report card. What is measured differs from run to run, and is left out.
steady() { grep -v 'samples a second' "$1"; }
cp $examples/landsat.tacozip $scratch/landsat.tacozip
cd $scratch
taco doctor landsat.tacozip -q >card.txt
steady card.txt
show doctor landsat.tacozip -q --report card.html --report card.html
show doctor landsat.tacozip --report card.txt --overwrite
taco doctor landsat.tacozip -q --report card.html --read-size 0 | head -1
taco doctor landsat.tacozip -q --report card.json --sample-size 5 --json | grep -A 3 -E '"(num_checked|truth)"'
taco doctor landsat.tacozip -q --deep --read-size 0 | sed -n 3,4p
show doctor landsat.tacozip --report card.html
ln -s /dev/full full.html
show doctor landsat.tacozip -q --read-size 0 --report full.html --overwrite
echo PK >broken.tacozip
show doctor broken.tacozip -q
show doctor missing.tacozip -q
ls
