# What cannot be written is an error.
taco query flat.tacozip >/dev/full
echo "exit $?"
taco info flat.tacozip >/dev/full
echo "exit $?"
taco ls flat.tacozip >&-
