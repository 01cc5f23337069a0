// Rows as a table of apache-arrow, with every type that it reads: the same cells as columns have.
//   node arrow.mjs ROOT
import assert from "node:assert/strict";
import { tableFromIPC } from "apache-arrow";
import { open } from "@tacore/node";

for (const path of ["examples/data/landsat.tacozip", "tests/clients/types.tacozip"]) {
  const rows = await (await open(`${process.argv[2]}/${path}`)).rows();
  const table = tableFromIPC(await rows.toIPC({ plain: true }));
  assert.equal(table.numRows, rows.length);
  assert.deepEqual(table.schema.fields.map((field) => field.name), rows.columns);
  for (const name of rows.columns) {
    const { type } = rows.column(name);
    if (!["string", "double", "int32", "bool"].includes(type)) continue;
    for (let i = 0; i < rows.length; ++i) assert.deepEqual(table.getChild(name).get(i), rows.column(name).at(i), `${name}[${i}]`);
  }
}
console.log("tables of apache-arrow: the same");
