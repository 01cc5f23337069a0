// The page: opens the dataset, puts the panels together, and keeps them and the URL in step.
import { counts, open, setOptions } from "tacore";
import { codeFor, exportGeoJson, exportIds } from "./code.js";
import { button, byId, copyButton, el, labelled, problem, replace, select, showDialog } from "./dom.js";
import { factsOf, namesOf, summaryOf, titleOf } from "./facts.js";
import { createFilters } from "./filters.js";
import { createMap } from "./map.js";
import { showSample } from "./sample.js";
import { hasFilter, isTime, Selection } from "./selection.js";
import { readState, writeState } from "./state.js";
import { createTable } from "./table.js";
import { countText, explained, plural, sizeText } from "./text.js";

const MOST_IDS = 500; // of a shape, that code lists
const FEW_ROWS = 50_000; // whose columns are small enough to be read without being asked for
const SHOWN_COLUMNS = 7;
const PANELS = { filters: "Filters", map: "Map", table: "Table", sample: "Sample" };

let language = "Python";
let shown = null; // the dataset that is shown: see show()

// ---- Start ----

async function start() {
  const config = JSON.parse(byId("config").textContent),
    given = new URLSearchParams(location.search).getAll("url"),
    wasm = unpacked(byId("wasm").textContent);
  setOptions({
    wasm,
    worker: urlOfWorker(byId("worker").textContent),
    maxTries: 3, // someone is waiting
    cacheSize: 20 << 20, // columns that were read are kept by the page
  });
  const source = config.dataset ?? (given.length > 0 ? given : null);
  if (source !== null) return openDataset(source, config.address);
  showStart();
  return wasm; // it tells whether this browser has what it needs
}
async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** Chromium refuses workers of the URL of a Blob that are modules in pages from disk. */
function urlOfWorker(script) {
  if (location.protocol === "file:") return `data:text/javascript;charset=utf-8,${encodeURIComponent(script)}`;
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

/** Where a dataset is chosen; with what went wrong with the last one. */
function showStart(error) {
  const input = el("textarea", {
    rows: 2,
    required: true,
    placeholder: "https://example.org/dataset.tacozip",
    value: new URLSearchParams(location.search).getAll("url").join("\n"),
    spellcheck: false,
  });
  const form = el(
    "form",
    {
      on: {
        submit: (event) => {
          event.preventDefault();
          openAddresses(input.value);
        },
      },
    },
    labelled("Address of a dataset: a URL, hf:// or s3://, or a page of the Hugging Face Hub", input),
    el("button", { text: "Open", class: "primary" }),
  );
  const files = el("input", {
    type: "file",
    multiple: true,
    accept: ".tacozip,.zip,.taco,.tortilla,.tacocat",
    on: { change: () => openDataset([...files.files]) },
  });
  replace(
    byId("start"),
    error && problem(error),
    el("p", {
      class: "lead",
      text:
        "Look at a TACO dataset: where its samples are, what their columns say, and their pixels. " +
        "Everything happens in this browser; nothing is uploaded.",
    }),
    el(
      "div",
      { class: "drop" },
      el("strong", { text: "Drop a dataset here" }),
      el("span", { class: "dim", text: "a .tacozip, .taco or .tortilla file, or several" }),
      el("label", { class: "file" }, el("span", { text: "or choose files" }), files),
    ),
    form,
  );
  byId("start").hidden = false;
  byId("panels").hidden = byId("tabs").hidden = true;
  document.body.classList.add("empty");
  byId("title").textContent = document.title = "TACO dataset";
  byId("count").textContent = byId("summary").textContent = "";
}
function openAddresses(text) {
  const search = new URLSearchParams(
    text
      .split(/\s+/)
      .filter(Boolean)
      .map((each) => ["url", each]),
  ).toString();
  // The address becomes part of that of the page, which can be sent to others.
  if (`?${search}` === location.search) openDataset(text.split(/\s+/).filter(Boolean));
  else location.href = `${location.pathname}?${search}`;
}

/** `address` is what code opens, where that is not the source. */
async function openDataset(source, address) {
  const sources = Array.isArray(source) && source.length === 1 ? source[0] : source;
  byId("start").hidden = true;
  byId("count").textContent = "Opening …";
  try {
    const dataset = await open(sources),
      positions = await dataset.positions();
    replace(byId("messages"));
    if (shown) {
      shown.dataset.close();
      shown.task?.abort();
      writeState({ filters: {}, theme: shown.state.theme }, true); // that of the dataset before means nothing here
    }
    await show(dataset, positions, address ?? addressOf(sources, dataset));
  } catch (error) {
    showStart(error);
  }
}
/** What code opens: as the user wrote it, but without what may be secret. */
function addressOf(source, { name }) {
  if (Array.isArray(source)) return source.map((each) => addressOf(each, { name: each.name ?? String(each).replace(/\?.*/, "") }));
  return typeof source === "string" && /^\w+:\/\/[^@?]+$/.test(source) ? source : name;
}

// ---- A dataset ----

async function show(dataset, positions, address) {
  const selection = new Selection(dataset, positions),
    state = readState();
  shown = { dataset, selection, state, address, names: namesOf(dataset.collection), isApplying: false, task: null, opened: "" };
  shown.map = createMap(selection, {
    pick: (row) => change({ sample: row }),
    area: (test) => setFilter("area", test),
    moved: () => {
      if (!shown.isApplying) change({ view: shown.map.view() }, false);
    },
    coloured: (colour) => change({ colour: colour ?? "none" }),
  });
  shown.table = createTable(selection, {
    pick: (row) => change({ sample: row }),
    sort: sortBy,
    choose: (columns) => change({ columns }, false),
    failed: showMessage,
  });
  shown.filters = createFilters(selection, (name, test) => (name === null ? change({ filters: {} }) : setFilter(name, test)));
  const { filters, map, table } = shown;
  byId("panel-filters").replaceChildren(byId("filters-title") ?? "", filters.element);
  replace(byId("panel-map"), map.element);
  replace(byId("panel-table"), table.element);
  selection.addEventListener("change", showCount);
  document.body.classList.remove("empty");
  byId("panels").hidden = byId("tabs").hidden = false;
  byId("title").textContent = document.title = titleOf(dataset);
  byId("summary").textContent = summaryOf(dataset);
  showCount();
  openSomeFilters();
  const places = selection.loadPlaces().catch((error) => showMessage(error) ?? true);
  if (state.filters.area) await places;
  await applyState(state);
  const hasPlaces = await places;
  byId("panels").classList.toggle("placeless", !hasPlaces);
  if (!state.view && hasPlaces) map.fit();
}

/** Filters that most users want, where reading their columns costs little. */
function openSomeFilters() {
  const { dataset, filters, state } = shown,
    { columns } = dataset;
  const names =
    dataset.numRows > FEW_ROWS
      ? []
      : [
          columns.find(({ name }) => /split$/.test(name)),
          columns.find((column) => isTime(column)),
          ...columns.filter(({ type }) => type === "double").slice(0, 2),
        ]
          .filter(Boolean)
          .map(({ name }) => name);
  for (const name of new Set([...Object.keys(state.filters), ...names])) filters.open(name);
}
/** Those that most users want to see first. */
function defaultColumns({ columns }) {
  const wanted = columns.filter((column) => hasFilter(column) && !/^(id|type)$|:(crs|time_end|time_middle)$/.test(column.name));
  return ["id", ...wanted.slice(0, SHOWN_COLUMNS).map(({ name }) => name)];
}
function defaultColour({ columns, numRows }) {
  return numRows > FEW_ROWS ? undefined : columns.find(({ name, type }) => /split$/.test(name) && type === "string")?.name;
}

/** Shows a state: that of the URL, or what the user did. */
async function applyState(state) {
  const { dataset, selection, map, table } = shown;
  shown.isApplying = true;
  try {
    setTheme(state.theme);
    const columns = state.columns?.filter((name) => dataset.columns.some((column) => column.name === name));
    table.setColumns(columns?.length > 0 ? columns : defaultColumns(dataset));
    await selection.setFilters(state.filters);
    state.filters = Object.fromEntries([...selection.filters].map(([name, { test }]) => [name, test]));
    const sort = state.sort && { name: state.sort.replace(/^-/, ""), isDescending: state.sort.startsWith("-") };
    await selection.setSort(sort && dataset.columns.some(({ name }) => name === sort.name) ? sort : null);
    table.showSort();
    const colour = state.colour === "none" ? undefined : (state.colour ?? defaultColour(dataset));
    await map.setColour(dataset.columns.some(({ name }) => name === colour) ? colour : undefined);
    if (state.view) map.setView(state.view);
    const isThere = state.sample < selection.numRows;
    if (!isThere) state.sample = undefined;
    if (shown.opened !== openedText(state)) openSample(state.sample);
  } catch (error) {
    showMessage(error);
  } finally {
    shown.isApplying = false;
  }
}

/** Changes the state after what the user did; `isStep`: Back undoes it. */
function change(part, isStep = true) {
  const { state, selection, table, map } = shown,
    before = { ...state };
  Object.assign(state, part);
  writeState(state, isStep);
  if ("filters" in part) selection.setFilters(state.filters).catch(showMessage);
  if ("columns" in part) table.setColumns(state.columns);
  if ("colour" in part) map.setColour(state.colour === "none" ? undefined : state.colour).catch(showMessage);
  if ("theme" in part) setTheme(state.theme);
  if ("sample" in part) openSample(state.sample, before.sample !== state.sample);
}
let lastFilter = null;
async function setFilter(name, test) {
  const { state, selection } = shown,
    filters = { ...state.filters };
  if (test) filters[name] = test;
  else delete filters[name];
  // While a range is dragged, each change replaces the one before.
  const isStep = lastFilter !== name || !test || !(name in state.filters);
  lastFilter = name;
  state.filters = filters;
  writeState(state, isStep);
  try {
    if (name === "area") selection.setArea(test);
    else await selection.setFilter(name, test);
  } catch (error) {
    showMessage(error);
  }
}
async function sortBy(name) {
  const { selection, table } = shown,
    now = selection.sort;
  const sort = name === null || (now?.name === name && now.isDescending) ? null : { name, isDescending: now?.name === name };
  await selection.setSort(sort).catch(showMessage);
  table.showSort();
  change({ sort: sort ? `${sort.isDescending ? "-" : ""}${sort.name}` : undefined }, false);
}

// ---- The sample ----

const openedText = ({ sample, shown: paths, swipe }) => JSON.stringify([sample, paths, swipe]);

/** Shows a sample beside the others; undefined closes it. */
function openSample(row, isNew = false, focus = "h2") {
  const { selection, state, map, table, names } = shown,
    panel = byId("panel-sample");
  shown.task?.abort();
  shown.opened = openedText(state);
  map.mark(row ?? null, isNew);
  table.mark(row ?? null);
  byId("panels").classList.toggle("has-sample", row !== undefined);
  if (row === undefined) {
    replace(panel, el("p", { class: "dim hint", text: "Choose a sample on the map or in the table." }));
    return;
  }
  shown.task = new AbortController();
  const step = (by) => {
    const at = selection.rows.indexOf(row),
      next = selection.rows[(Math.max(at, 0) + by + selection.rows.length) % selection.rows.length];
    if (next === undefined) return;
    state.sample = next;
    writeState(state, false);
    openSample(next, true, by < 0 ? "[aria-label='Previous sample']" : "[aria-label='Next sample']");
  };
  const changed = () => {
    shown.opened = openedText(state);
    writeState(state, false);
  };
  const close = () => {
    change({ sample: undefined });
    showPanel("table");
    table.focus();
  };
  showSample(panel, selection, row, { view: state, names, changed, step, close, code: sampleCode, signal: shown.task.signal });
  if (!isNew) return;
  showPanel("sample");
  panel.querySelector(focus).focus({ preventScroll: true });
}

function sampleCode(sample) {
  const { address, state } = shown,
    body = el("div");
  const details = el("details", {}, el("summary", { text: "Code for this sample" }), body);
  const path = () =>
    sample.type === "FOLDER" ? (state.shown?.[0] ?? byId("panel-sample").querySelector(".card")?.getAttribute("aria-label")) : null;
  details.addEventListener("toggle", () =>
    replace(body, codeView(codeFor({ filters: {}, columns: new Map(), address, sample: { id: sample.id, path: path() }, ids: null }))),
  );
  return details;
}

// ---- Around the panels ----

function showCount() {
  const { selection } = shown,
    { total, rows, filters } = selection;
  byId("count").textContent = filters.size > 0 ? `${countText(rows.length)} of ${plural(total, "sample")}` : plural(total, "sample");
}
function showPanel(name) {
  document.body.dataset.tab = name;
  for (const tab of byId("tabs").children) tab.setAttribute("aria-current", String(tab.dataset.tab === name));
}

/** Something went wrong with a part of the page. Returns undefined. */
function showMessage(error) {
  const text = explained(error),
    messages = byId("messages");
  if ([...messages.children].some((each) => each.firstChild.textContent === text)) return;
  const message = el(
    "div",
    { class: "problem message", role: "alert" },
    el("span", { text }),
    button("Dismiss", () => message.remove(), { class: "link" }),
  );
  messages.append(message);
  while (messages.children.length > 3) messages.firstChild.remove();
}

async function codeDialog() {
  const { selection, state, address, dataset } = shown,
    { polygon } = state.filters.area ?? {};
  let ids = null;
  if (polygon && selection.rows.length <= MOST_IDS) {
    const rows = await dataset.rows({ positions: selection.rows.slice().sort(), columns: [] });
    ids = Array.from(rows, ({ id }) => id);
  }
  const selected = selection.filters.size > 0 ? `the ${countText(selection.rows.length)} selected of ` : "";
  const columns = new Map(
    dataset.columns.map(({ name, type }) => [name, { type, unit: 1, hasNaN: false, ...selection.columns.get(name) }]),
  );
  const code = codeFor({ filters: state.filters, columns, address, sample: null, ids });
  showDialog(
    "Code for this selection",
    el("p", {
      class: "dim",
      text: `It opens ${selected}${plural(selection.total, "sample")}.`,
    }),
    codeView(code),
  );
}
/** Text for each language, and a choice of it that is remembered. */
function codeView(texts) {
  const pre = el("pre", { class: "code", tabIndex: 0, "aria-label": "Code" });
  const text = () => new Map(texts).get(language);
  const show = (name) => {
    language = name;
    pre.textContent = text();
  };
  const choice = select(
    texts.map(([name]) => [name, name]),
    language,
    show,
    { "aria-label": "Language" },
  );
  show(language);
  return el("div", {}, el("div", { class: "row" }, choice, copyButton(text, "Copy", { class: "small" })), pre);
}
function exportDialog() {
  const { selection } = shown,
    message = el("div");
  const save = (body) => async () => {
    replace(message, el("p", { class: "dim", text: "Reading …" }));
    await body(selection).then(
      () => replace(message, el("p", { text: "Saved." })),
      (error) => replace(message, problem(error)),
    );
  };
  showDialog(
    "Export the selection",
    el("p", { text: `${plural(selection.rows.length, "sample")}.` }),
    el(
      "div",
      { class: "row" },
      button("Ids, one a line (txt)", save(exportIds)),
      button("Places and columns that have been read (GeoJSON)", save(exportGeoJson)),
    ),
    message,
  );
}
function setTheme(theme) {
  document.documentElement.style.colorScheme = theme ?? "light dark";
  shown?.map.redraw();
}
function isDark() {
  const { colorScheme } = document.documentElement.style;
  return colorScheme === "dark" || (colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}

function buildFrame() {
  const needsDataset = (body) => () => {
    if (shown) Promise.resolve(body()).catch(showMessage);
  };
  replace(
    byId("actions"),
    button(
      "About",
      needsDataset(() => showDialog(titleOf(shown.dataset), factsOf(shown.dataset, shown.selection))),
    ),
    button("Code", needsDataset(codeDialog)),
    button("Export", needsDataset(exportDialog)),
    button("Theme", () => (shown ? change({ theme: isDark() ? "light" : "dark" }, false) : setTheme(isDark() ? "light" : "dark")), {
      title: "Dark or light",
      class: "always",
    }),
  );
  replace(
    byId("tabs"),
    Object.entries(PANELS).map(([name, text]) =>
      button(text, () => showPanel(name), { data: { tab: name }, "aria-current": String(name === "map") }),
    ),
  );
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault(); // its fragment is not a state of the page
    (shown ? byId("panel-table").querySelector(".grid") : byId("main")).focus();
  });
  byId("licences-button").addEventListener("click", () =>
    showDialog(
      "About this page",
      el("p", {
        text:
          "A page of tacore that shows TACO datasets. It reads the dataset only, asks no other server, and stores nothing but the " +
          "address of tiles until it is closed. Parts of it are under these licences:",
      }),
      el("pre", { class: "text", tabIndex: 0, "aria-label": "Licences", text: byId("licences").textContent }),
    ),
  );
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragged");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dragged");
  });
  addEventListener("drop", dropped);
  addEventListener("popstate", wentBack);
  byId("panel-sample").addEventListener("keydown", (event) => {
    if (event.key === "Escape") byId("panel-sample").querySelector(".closes")?.click();
  });
  addEventListener("unhandledrejection", (event) => {
    if (event.reason?.name === "TacoError") {
      event.preventDefault();
      showMessage(event.reason);
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown?.map.redraw());
  setInterval(showTraffic, 400);
}
function wentBack() {
  if (!shown) return;
  const { state } = shown,
    { theme } = state;
  Object.assign(state, readState()); // the panel of the sample holds it, too
  state.theme ??= theme;
  applyState(state);
}
function dropped(event) {
  event.preventDefault();
  document.body.classList.remove("dragged");
  const items = [...event.dataTransfer.items],
    text = event.dataTransfer.getData("text/uri-list");
  if (items.some((item) => item.webkitGetAsEntry?.()?.isDirectory))
    return showMessage("A folder cannot be read from a page. Drop a .tacozip file, or run `taco view FOLDER`");
  const files = [...event.dataTransfer.files];
  if (files.length > 0) openDataset(files);
  else if (text) openAddresses(text);
  return undefined;
}
function showTraffic() {
  const { requests, bytes } = counts(),
    text = requests > 0 ? `${plural(requests, "request")}, ${sizeText(bytes)} read` : bytes > 0 ? `${sizeText(bytes)} read` : "";
  if (byId("traffic").textContent !== text) byId("traffic").textContent = text;
}

buildFrame();
start().catch(showStart);
