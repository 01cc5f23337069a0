# The bytes of a FILE, exactly; every file of nested holds its own path.
for path in nested nested.tacozip permuted_offsets.tacozip; do
  taco read $path europe/item_1 --quiet; echo
done
taco read cascade_tacocat asia/country_1/city_0; echo
taco read odd_names.tacozip "it's"; echo
taco read odd_names.tacozip '[bracket]'; echo
taco read odd_names.tacozip -- -dash; echo
taco read $examples/landsat.tacozip tile_r0_c0 | sha256sum
python3 -c '
import hashlib, sys, zipfile
print(hashlib.sha256(zipfile.ZipFile(sys.argv[1]).read("DATA/tile_r0_c0")).hexdigest() + "  -")' $examples/landsat.tacozip
