# Parts of a dataset before 2.0 by themselves, and several datasets as one.
mkdir "$scratch/tree" "$scratch/alone"
cd "$scratch"
for name in a b c; do head -c 400 /dev/zero | tr '\0' "$name" > tree/$name; done
show create tree x.tortilla --split-size 500
show ls x.0001.part.tortilla
# One that was copied alone is readable; a set that lost one is not.
cp x.0001.part.tortilla alone
show ls alone/x.0001.part.tortilla
cp x.0002.part.tortilla x.0003.part.tortilla
show ls x.0000.part.tortilla
rm x.0003.part.tortilla x.0001.part.tortilla
show ls x.0000.part.tortilla
show ls x.0000.part.tortilla --allow-partial
rm x.0002.part.tortilla
show create tree y.tortilla
show concat alone/x.0001.part.tortilla y.tortilla all.tortilla
show ls all.tortilla
show concat alone/x.0001.part.tortilla y.tortilla all.taco --id all
show validate y.tortilla --profile flood
