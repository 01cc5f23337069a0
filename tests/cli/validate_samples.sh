# --deep decodes TIFFs and looks at what the other samples begin with.
mkdir $scratch/bad
taco read $examples/landsat.tacozip tile_r0_c0 -o $scratch/bad/a.tif
printf x >$scratch/bad/b.tif
described="--id t --license MIT --provider P --task other --title T --description D"
cd $scratch
taco create bad bad.tacozip $described --quiet
show validate bad.tacozip
show validate --deep bad.tacozip
rm bad/b.tif
taco create bad good.taco $described --datetime 2020-01-01/2020-12-31 --quiet
show validate --deep good.taco
# Half of the file, the pixels, is zero.
python3 - <<'END'
data = bytearray(open("good.taco", "rb").read())
data[4000:12000] = bytes(8000)
open("zeros.taco", "wb").write(data)
END
show validate zeros.taco
show validate --deep zeros.taco
