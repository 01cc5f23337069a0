# The rules of Tortilla 0.5.0 and TACO 0.2.0.
cp -r v1 "$scratch/v1"
cd "$scratch/v1"
show validate flat.tortilla
show validate flat.tortilla --profile stac-tortilla,rai-tortilla
show validate rai.tortilla --profile rai-tortilla
show validate nested.taco
show validate spec.taco --json
show validate gaps.tortilla
show validate uneven.tortilla
show validate first.tortilla
show validate clash.tortilla
show validate parts/set.0002.part.tortilla
rm parts/set.0001.part.tortilla
show validate parts/set.0002.part.tortilla
head -c 1000 flat.tortilla > cut.tortilla
show validate cut.tortilla
# A nested container that begins with something else, and a length that leaves the data.
cp nested.tortilla damaged.tortilla
printf 'xx' | dd of=damaged.tortilla bs=1 seek=200 conv=notrunc status=none
show validate damaged.tortilla
show validate flat.tortilla --profile stac
show validate none.tortilla
