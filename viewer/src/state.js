// The state of the page in the fragment of its URL: what a link, a bookmark and Back bring back.
//
// The URL of map tiles is not part of it: a link must not make a page ask a stranger's server.

/** { filters, view, colour, columns, sort, sample, shown, swipe, theme, tab }; what is not set is undefined. */
export function readState(fragment = location.hash) {
  const given = new URLSearchParams(fragment.slice(1));
  const list = (name) => given.get(name)?.split("|");
  const numbers = given.get("view")?.split(",").map(Number);
  const sample = given.get("sample");
  return {
    filters: parsedFilters(given.get("filters")),
    view: numbers?.length === 3 && numbers.every(Number.isFinite) ? numbers : undefined,
    colour: given.get("colour") ?? undefined,
    columns: list("columns"),
    sort: given.get("sort") ?? undefined, // a name, after "-" where descending
    sample: sample !== null && /^\d+$/.test(sample) ? Number(sample) : undefined,
    shown: list("shown"), // paths of children
    swipe: given.has("swipe") || undefined,
    theme: ["light", "dark"].includes(given.get("theme")) ? given.get("theme") : undefined,
  };
}

function parsedFilters(text) {
  try {
    const found = JSON.parse(text ?? "{}");
    return Object.fromEntries(Object.entries(found).filter(([name, test]) => (name === "area" ? isArea(test) : isTest(test))));
  } catch {
    return {};
  }
}
const isNumber = (value) => value === undefined || Number.isFinite(value);
const isTest = (test) =>
  Boolean(test) &&
  (Array.isArray(test.labels) ||
    typeof test.text === "string" ||
    (("min" in test || "max" in test) && isNumber(test.min) && isNumber(test.max)));
const isArea = (test) =>
  [test?.box?.length === 4 && test.box, test?.polygon?.length > 2 && test.polygon.flat()].some(
    (numbers) => numbers && numbers.every(Number.isFinite),
  );

function fragmentOf(state) {
  const out = new URLSearchParams();
  if (Object.keys(state.filters).length > 0) out.set("filters", JSON.stringify(state.filters));
  if (state.view) out.set("view", state.view.join(","));
  for (const name of ["colour", "sort", "theme"]) if (state[name]) out.set(name, state[name]);
  for (const name of ["columns", "shown"]) if (state[name]?.length > 0) out.set(name, state[name].join("|"));
  if (state.sample !== undefined) out.set("sample", state.sample);
  if (state.swipe) out.set("swipe", "");
  const text = out.toString().replaceAll("%2C", ",").replaceAll("%7C", "|").replaceAll("%3A", ":");
  return text ? `#${text}` : "#";
}

/** Writes the state; `isStep`: Back leads to the one before. */
export function writeState(state, isStep) {
  const fragment = fragmentOf(state);
  if (fragment === (location.hash || "#")) return;
  try {
    history[isStep ? "pushState" : "replaceState"](null, "", fragment);
  } catch {
    // Browsers refuse very many changes in a short time, and some pages from disk; the page works without.
  }
}
