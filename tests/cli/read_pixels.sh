# Pixels of a FILE: NumPy, PNG, previews.
landsat=$examples/landsat.tacozip nested=$examples/landsat_nested.tacozip
# What a NumPy file says of itself, and the sum of its bytes behind the header.
about() {
  python3 -c '
import ast, struct, sys
data = sys.stdin.buffer.read()
assert data[:8] == b"\x93NUMPY\x01\x00"
size = struct.unpack("<H", data[8:10])[0]
assert (10 + size) % 64 == 0 and data[9 + size] == 10
head = ast.literal_eval(data[10:10 + size].decode())
print(head["descr"], head["fortran_order"], head["shape"], len(data) - 10 - size, sum(data[10 + size:]))'
}
taco read $landsat tile_r0_c0 --npy | about
taco read $landsat tile_r0_c0 --npy --bands 3,1,3 --window 10,20,5,4 | about
taco read $nested tile_r1_c1/dem --npy --window 0,0,1,1 | about
# The same values, band after band.
taco read $landsat tile_r0_c0 --npy --bands 2 | tail -c 4096 | sha256sum
taco read $landsat tile_r0_c0 --npy | head -c $((128 + 2 * 4096)) | tail -c 4096 | sha256sum
taco read $landsat tile_r0_c0 --png --bands 3,2,1 -o "$scratch/a.png"
head -c 33 "$scratch/a.png" | od -A d -t x1
taco preview $landsat tile_r0_c0 --size 20 | head -c 33 | od -A d -t x1
taco preview $nested tile_r1_c1/dem | head -c 33 | od -A d -t x1
show read $landsat tile_r0_c0 --png
show read $nested tile_r1_c1 --npy
show read $landsat tile_r0_c0 --npy --bands 7
show read $landsat tile_r0_c0 --npy --window 60,60,10,10
show read $landsat tile_r0_c0 --npy --bands 0
show read $landsat tile_r0_c0 --npy --bands 1,,2
show read $landsat tile_r0_c0 --npy --window 1,2,3
show read $landsat tile_r0_c0 --npy --window 0,0,0,4
show read $landsat tile_r0_c0 --bands 1
show read $landsat tile_r0_c0 --npy --png
show read $landsat tile_r0_c0 --npy --vsi
show preview $landsat tile_r0_c0 --bands 1,2
show preview $landsat tile_r0_c0 --size 0
show preview $landsat nope
taco preview nested.tacozip europe/item_1 2>/dev/null || echo "exit $?"
