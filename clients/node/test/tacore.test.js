import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as tacore from "../src/index.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const nested = join(root, "examples/data/landsat_nested.tacozip"), flat = join(root, "examples/data/landsat.tacozip");
const about = { id: "chips", description: "Chips", licenses: ["MIT"], providers: [{ name: "P" }], tasks: ["classification"] };
const folder = mkdtempSync(join(tmpdir(), "tacore-"));
after(() => rmSync(folder, { recursive: true }));
process.removeAllListeners("warning");
process.on("warning", () => {});

const fails = (promise, code, message = /./) => assert.rejects(promise, { name: "TacoError", code: `TACORE_E_${code}`, message });

test("filters keep what a loop keeps", async () => {
  const dataset = await tacore.open(flat);
  const all = await dataset.rows();
  const wet = await dataset.sql("SELECT * FROM data WHERE water > 0.1").rows();
  assert.deepEqual(wet.column("id").toArray(), [...all].filter((each) => each.get("water") > 0.1).map((each) => each.id));
  assert.equal((await dataset.filterBbox([10, 10, 11, 11]).rows()).length, 0);
  assert.equal((await dataset.filterDatetime([new Date("1999-01-01"), new Date("2001-01-01")]).rows()).length, 16);
  assert.equal((await (await tacore.concat([dataset, dataset.sql("SELECT * FROM data LIMIT 2")])).rows()).length, 18);
  assert.equal(dataset.collection.id, dataset.id);
  assert.equal((await dataset.about()).num_rows, 16);
  assert.match(await dataset.describe("stac"), /stac_version/);
});

test("rows are found by position, id and function", async () => {
  const rows = await (await tacore.open(nested)).rows();
  assert.equal(rows.at(-1).id, rows.column("id").at(5));
  assert.equal(rows.get("tile_r2_c1").position, 3);
  assert.throws(() => rows.at(6), { code: "TACORE_E_NAVIGATION" });
  assert.throws(() => rows.at(1.5), { code: "TACORE_E_NAVIGATION" });
  assert.throws(() => rows.get("none"), { code: "TACORE_E_NAVIGATION" });
  assert.throws(() => rows.column("none"), { code: "TACORE_E_QUERY", message: /there are id, type/ });
  const green = await rows.filter((each) => each.get("vegetation") > 0.2);
  for (const sample of green) assert.deepEqual(await sample.child("mask").bytes(), await rows.get(sample.id).child("mask").bytes());
  const turned = await rows.filter([4, 1]);
  assert.deepEqual(await turned.bytes([0, 1], "optical"), await rows.bytes([4, 1], "optical"));
  assert.deepEqual((await rows.at(0).children()).column("id").toArray(), ["optical", "dem", "mask"]);
  assert.match(await rows.at(0).child("optical").path(), /^\/vsisubfile\//);
  assert.equal((await rows.toIPC()).length > 500, true);
  assert.ok(rows.column("vegetation").values instanceof Float64Array);
});

test("pixels, windows, scales and pictures", async () => {
  const sample = (await (await tacore.open(flat)).rows()).at(3);
  const whole = await sample.pixels();
  assert.deepEqual(whole.shape, [6, 64, 64]);
  const part = await sample.pixels({ bands: [4], window: [10, 20, 5, 3], scale: 0.5 });
  assert.equal(part.dtype, "float32");
  for (let y = 0; y < 3; ++y)
    for (let x = 0; x < 5; ++x) assert.equal(part.data[y * 5 + x], whole.data[(3 * 64 + 20 + y) * 64 + 10 + x] / 2);
  assert.deepEqual(Buffer.from((await sample.preview({ size: 32 })).slice(1, 4)).toString(), "PNG");
  await fails(sample.pixels({ bands: [7] }), "QUERY", /7/);
  await fails(sample.pixels({ window: [60, 60, 10, 10] }), "QUERY");
  await fails(sample.pixels({ window: [0, 0, 1e9, 1e9] }), "QUERY");
  await fails(sample.pixels({ window: [0, 0] }), "ARGUMENT", /window/);
  await fails(sample.pixels({ dtype: "complex" }), "QUERY", /uint8/);
  const raster = await tacore.openRaster(await sample.path());
  assert.equal((await raster.about()).dtype, "uint8");
  raster[Symbol.dispose]();
  await fails(raster.pixels(), "ARGUMENT", /disposed/);
  await fails(tacore.openRaster(join(root, "docs/pictures/samples.png")), "UNSUPPORTED");
});

test("an epoch has each sample once, and continues", async () => {
  const rows = await (await tacore.open(nested)).rows();
  const epoch = async (options) => {
    const out = [];
    for await (const batch of rows.batches({ inputs: ["optical/4,3", "mask"], batchSize: 4, ...options })) out.push(batch);
    return out;
  };
  const whole = await epoch({ seed: 3 });
  const positions = whole.flatMap((batch) => batch.positions);
  assert.deepEqual([...positions].sort(), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(whole[0].tensors.map((each) => each.shape), [[4, 2, 64, 64], [4, 1, 64, 64]]);
  const mask = await rows.at(positions[0]).child("mask").pixels();
  assert.deepEqual(whole[0].tensors[1].data.subarray(0, 64 * 64), mask.data);
  assert.deepEqual((await epoch({ seed: 3, start: whole[0].nextStart })).flatMap((batch) => batch.positions), positions.slice(4));
  await fails(epoch({ batchSise: 2 }), "ARGUMENT", /known are/);
  for await (const batch of rows.batches({ inputs: "mask" })) { assert.equal(batch.positions.length, 1); break; } // frees the loader
});

test("datasets are written of objects, columns, folders, and come back", async () => {
  const output = join(folder, "a.tacozip");
  const day = new Date("2020-02-29T12:00:00.123Z");
  const samples = [
    { id: "a", data: new Uint8Array([1, 2]), label: "water", n: 1, x: 0.5, ok: true, at: day, list: [1, 2], big: 2n ** 60n },
    { id: "b", data: new Uint8Array(), label: null, n: null, x: null, ok: false, at: null, list: [], big: -1n },
  ];
  assert.deepEqual(await tacore.create(samples, output, about, { places: false }), [output]);
  const rows = await (await tacore.open(output)).rows();
  for (const [i, { data, ...rest }] of samples.entries()) {
    const { type, "internal:gdal_vsi": path, ...found } = rows.at(i).toObject();
    assert.deepEqual(found, { ...rest, big: i === 0 ? 2n ** 60n : -1 });
    assert.deepEqual(await rows.at(i).bytes(), data);
  }
  assert.equal((await tacore.validate(output, { deep: true })).is_valid, true);
  const tree = join(folder, "tree");
  await tacore.create({ id: ["x/a", "x/b"], data: [new Uint8Array([7]), new Uint8Array([8])] }, tree, about, { places: false });
  assert.deepEqual(await (await (await tacore.open(tree)).rows()).at(0).child("b").bytes(), new Uint8Array([8]));
  const scene = join(folder, "scene.tacozip");
  await tacore.create(join(root, "examples/data/scene"), scene, about);
  assert.equal((await tacore.diff(scene, (await tacore.convert(scene, join(folder, "scene")))[0])).equal, true);
  await tacore.edit(scene, { set: { title: "Scene" } });
  assert.equal((await tacore.open(scene)).collection.title, "Scene");
  assert.deepEqual(await (await (await tacore.open(nested)).sql("SELECT * FROM data LIMIT 2")).export(join(folder, "two.tacozip")), [join(folder, "two.tacozip")]);
});

test("wrong input is refused, and nothing is written", async () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  const output = join(empty, "no.tacozip");
  const chips = { id: ["a", "a"], data: [new Uint8Array(), new Uint8Array()] };
  await fails(tacore.create(chips, output, about), "SCHEMA", /id/);
  await fails(tacore.create({ ...chips, id: ["a", "b"] }, output, { ...about, licenses: [] }), "VALIDATION", /licenses/);
  await fails(tacore.create({ id: ["a"], path: ["none.tif"] }, output, about), "NOT_FOUND", /none.tif/);
  await fails(tacore.create({ id: ["a", "b"], data: [new Uint8Array()] }, output, about), "ARGUMENT", /2 expected/);
  const mixed = [{ id: "a", data: new Uint8Array(), x: 1 }, { id: "b", data: new Uint8Array(), x: "1" }];
  await fails(tacore.create(mixed, output, about), "ARGUMENT", /several types/);
  await fails(tacore.create(join(folder, "none"), output, about), "NOT_FOUND");
  assert.deepEqual(readdirSync(empty), []);
});

test("errors tell what kind they are, and where", async () => {
  await assert.rejects(tacore.open(join(folder, "none.tacozip")), { name: "TacoError", code: "TACORE_E_NOT_FOUND", path: join(folder, "none.tacozip") });
  const damaged = join(folder, "damaged.tacozip");
  writeFileSync(damaged, readFileSync(flat).subarray(0, 5000));
  await fails(tacore.open(damaged), "FORMAT", /damaged/);
  await fails((await tacore.open(flat)).sql("SELECT nothing FROM data").rows(), "QUERY", /nothing/);
  await fails(tacore.open(flat, { verfiy: true }), "ARGUMENT", /known are/);
  await fails(tacore.open("http://user:secret@127.0.0.1:1/a.tacozip", { maxTries: 1 }), "IO", /^(?!.*secret)/);
  const dataset = await tacore.open(flat);
  dataset[Symbol.dispose]();
  await fails(dataset.rows(), "ARGUMENT", /disposed/);
});

test("a source that changes or vanishes is an error", async () => {
  const copy = join(folder, "copy.tacozip");
  copyFileSync(nested, copy);
  const rows = await (await tacore.open(copy)).rows();
  writeFileSync(copy, readFileSync(nested).subarray(0, 1000));
  await assert.rejects(rows.at(5).child("mask").bytes(), tacore.TacoError);
  rmSync(copy);
  await assert.rejects(rows.at(4).child("optical").bytes(), tacore.TacoError);
});

test("an abort stops a call, and leaves nothing behind", async () => {
  const source = join(folder, "source"), work = join(folder, "work");
  mkdirSync(source);
  mkdirSync(work);
  for (let i = 0; i < 3000; ++i) writeFileSync(join(source, `${i}.bin`), new Uint8Array(20_000));
  const output = join(work, "a.tacozip");
  await assert.rejects(tacore.create(source, output, about, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(tacore.create(source, output, about, { jobs: 1, signal: AbortSignal.timeout(30) }), { name: "TimeoutError" });
  // The call may have been complete by then; else nothing is there.
  for (const name of readdirSync(work)) assert.equal(name, "a.tacozip");
  if (existsSync(output)) assert.equal((await tacore.validate(output)).is_valid, true);
});

test("a full disk is an error that leaves nothing behind", async () => {
  const work = join(folder, "full");
  mkdirSync(work);
  const code = `import * as t from ${JSON.stringify(new URL("../src/index.js", import.meta.url))};
    await t.create([{ id: "a", data: new Uint8Array(3e6) }], ${JSON.stringify(join(work, "a.tacozip"))}, ${JSON.stringify(about)}, { places: false })
      .catch((error) => console.log(error.code));`;
  writeFileSync(join(folder, "full.mjs"), code);
  const { stdout, stderr } = spawnSync("sh", ["-c", `trap '' XFSZ; ulimit -f 4096; exec "${process.execPath}" "${join(folder, "full.mjs")}"`], { encoding: "utf8" });
  assert.equal(stdout, "TACORE_E_IO\n", stderr);
  assert.deepEqual(readdirSync(work), []);
});

test("many calls at once, of one dataset", async () => {
  const rows = await (await tacore.open(flat)).rows();
  const one = await Promise.all([...rows].map((each) => each.pixels()));
  const again = await Promise.all([...rows].map((each) => each.pixels()));
  one.forEach((each, i) => assert.deepEqual(each.data, again[i].data));
});
