# --deep finds what changed inside a file; without it nothing is read of the files.
cp nested.tacozip "$scratch"
cd "$scratch"
python3 -c '
import zipfile
offset = zipfile.ZipFile("nested.tacozip").getinfo("DATA/asia/item_1").header_offset + 30 + len("DATA/asia/item_1")
with open("nested.tacozip", "r+b") as file:
    file.seek(offset)
    file.write(b"A")'
taco validate nested.tacozip
echo "exit $?"
taco validate nested.tacozip --deep | grep -o '^error CRC-1 nested.tacozip'
echo "exit ${PIPESTATUS[0]}"
