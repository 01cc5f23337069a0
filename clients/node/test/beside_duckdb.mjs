// tacore beside DuckDB's own package in one process: each does its work before and after the other.
//   node beside_duckdb.mjs DATASET tacore|duckdb     which of the two is loaded first
async function useDuckDB() {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const reader = await connection.runAndReadAll("SELECT sum(range)::INTEGER AS s, version() AS v FROM range(1000)");
  const [[sum, version]] = reader.getRows();
  if (sum !== 499500) throw new Error(`DuckDB says ${sum}`);
  await connection.run("SELECT nothing").then(() => { throw new Error("a column that is not there was found"); }, () => {});
  return version;
}

async function useTacore() {
  const { open } = await import("@tacore/node");
  const rows = await (await open(process.argv[2])).sql("SELECT * FROM data WHERE water > 0.1").rows();
  if (rows.length !== 5) throw new Error(`tacore says ${rows.length}`);
}

const steps = process.argv[3] === "tacore" ? [useTacore, useDuckDB, useTacore] : [useDuckDB, useTacore, useDuckDB];
for (const step of steps) await step();
console.log(`beside DuckDB ${await useDuckDB()}, ${process.argv[3]} first`);
