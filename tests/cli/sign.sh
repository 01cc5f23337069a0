# Keys, signatures, and what is said of a dataset that is not what was signed.
cp nested.tacozip polygons.tacozip "$scratch"
cp -r nested "$scratch/folder"
cp v1/flat.taco "$scratch"
cd "$scratch"
cat >k.key <<'KEY'
untrusted comment: minisign secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAO2Sa73Ww3FzuOjrRv4MdogcQmzFtbR9eiq3TIeyKR2T0q8s+q5cJMAzOoBN1nS02mU+hr3GCl2VEwYi6/QVkLdTT7wLTl28fAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
KEY
key=RWQ7ZJrvdbDcXAzOoBN1nS02mU+hr3GCl2VEwYi6/QVkLdTT7wLTl28f
show verify nested.tacozip
show sign nested.tacozip
show sign nested.tacozip --key k.key
cat nested.tacozip.proof nested.tacozip.proof.minisig
show sign nested.tacozip --key k.key
show sign folder/ --key k.key --quiet
show verify folder --key $key
show verify nested.tacozip
show verify nested.tacozip --key $key --json
show verify nested.tacozip --key $key --sample africa/item_0 --sample asia
show verify nested.tacozip --key $key --sample africa/none
show validate nested.tacozip --deep
taco edit folder --set title=Other --quiet
show verify folder --key $key
show verify folder --sample asia
printf x >>nested.tacozip.merkle
show verify nested.tacozip
show verify nested.tacozip --sample asia
show sign flat.taco --key k.key
show sign nested.tacozip --key nested.tacozip.proof --overwrite
taco keygen mine.key --no-password >line
stat -c %a mine.key
tail -n 1 mine.key.pub | cmp - line
show keygen mine.key --no-password
show verify folder --key mine.key.pub | sed 's/, by [0-9A-F]\{16\} /, by ID /'
echo secret >password
taco keygen locked.key --password-file password >line
TACO_KEY_PASSWORD=wrong show sign polygons.tacozip --key locked.key
show sign polygons.tacozip --key locked.key --password-file password --quiet
show verify polygons.tacozip --key locked.key.pub --quiet | sed 's/by key [0-9A-F]*/by key ID/'
