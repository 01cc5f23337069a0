// The panel of a sample: its tree, pictures of its files beside or over each other, metadata, and ways to its bytes.
import { button, copyButton, download, el, problem, replace } from "./dom.js";
import { createLink, rasterView } from "./raster.js";
import { countText, explained, sizeText, valueText } from "./text.js";

const MOST_SHOWN = 4; // files that are shown at first
const MOST_READ = 16 << 20; // bytes of a file that is no raster
const MOST_TEXT = 200_000; // bytes
const PICTURES = [
  [/^\x89PNG/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^RIFF....WEBP/s, "image/webp"],
];

/** Shows the sample at a row. `view` is { shown, swipe }, which `changed()` tells of; `names` are those of bands and classes;
 * `step(by)` goes to the next sample, `close()` closes the panel. Work ends with `signal`. */
export async function showSample(panel, selection, row, { view, names, changed, step, close, code, signal }) {
  const { dataset } = selection;
  const heading = el("h2", { tabIndex: -1, text: "…" }),
    about = el("p", { class: "dim small" }),
    content = el("div", { class: "sample-body" }, el("p", { class: "dim", text: "Reading the sample …" }));
  const tools = el(
    "div",
    { class: "row" },
    button("‹", () => step(-1), { "aria-label": "Previous sample", title: "Previous sample" }),
    button("›", () => step(1), { "aria-label": "Next sample", title: "Next sample" }),
    button("Close", close, { class: "closes" }),
  );
  replace(panel, el("div", { class: "bar sample-head" }, el("div", {}, heading, about), tools), content);
  try {
    const rows = await dataset.rows({ positions: [row], signal }),
      sample = rows.at(0);
    heading.textContent = sample.id;
    const kind = sample.type === "FOLDER" ? "a folder of files" : "a file";
    about.textContent = `Row ${countText(row + 1)} of ${countText(selection.numRows)} · ${kind}`;
    const files = el("div", { class: "files" });
    const tree = await fileChooser(sample, files, { view, names, changed, signal });
    replace(content, tree, files, metadata(sample, rows.columns), code(sample));
  } catch (error) {
    if (!signal.aborted) replace(content, problem(error));
  }
}

function metadata(sample, columns) {
  const known = columns
    .map((name) => [name, valueText(sample.get(name))])
    .filter(([name, text]) => text !== "" && !["id", "type"].includes(name));
  return el(
    "section",
    { "aria-label": "Metadata" },
    el("h3", { text: "Metadata" }),
    known.length > 0
      ? el("dl", { class: "facts" }, known.map(([name, text]) => [el("dt", { text: name }), el("dd", { text })]).flat())
      : el("p", { class: "dim", text: "None." }),
  );
}

// ---- The tree, and which of its files are shown ----

async function fileChooser(sample, files, { view, names, changed, signal }) {
  const link = createLink(),
    cards = new Map(); // path -> { card, canvas }
  const swipe = swipeView(cards, view, changed);
  async function show(node, path, metadataOf) {
    const card = el("figure", { class: "card", "aria-label": path }, el("p", { class: "dim", text: `Reading ${path} …` }));
    cards.set(path, { card });
    files.append(card);
    const found = await fileCard(card, node, path, { names, link, drawn: swipe.refresh, metadataOf, signal });
    if (cards.has(path)) cards.set(path, { card, ...found });
    swipe.refresh();
  }
  function hide(path) {
    cards.get(path)?.card.remove();
    cards.delete(path);
    swipe.refresh();
  }
  if (sample.type === "FILE") {
    show(sample, sample.id, null);
    return null;
  }
  const tree = {
    signal,
    isShown: (path) => cards.has(path),
    toggle(node, path, isOn, metadataOf) {
      if (isOn && !cards.has(path)) show(node, path, metadataOf);
      if (!isOn) hide(path);
      view.shown = [...cards.keys()];
      changed();
    },
  };
  const level = await treeLevel(await sample.children({ signal }), sample, "", tree);
  await openFirst(level);
  const boxes = [...level.querySelectorAll("input")],
    known = new Set(boxes.map(({ value }) => value));
  const wanted = view.shown?.filter((path) => path.includes("/") || known.has(path)),
    paths = wanted?.length > 0 ? wanted : [...known].slice(0, MOST_SHOWN);
  for (const path of paths) {
    const box = boxes.find(({ value }) => value === path);
    if (box) box.checked = true;
    show(sample.child(path), path, box?.metadataOf ?? null);
  }
  return el("section", { "aria-label": "Files" }, el("h3", { text: "Files" }), level, swipe.element);
}

/** A list of children, with those of folders below them when they are opened. */
async function treeLevel(rows, parent, before, tree) {
  const items = Array.from(rows, (row) => {
    const path = before + row.id,
      node = parent.child(row.id);
    return row.type === "FILE" ? fileItem(rows, row, node, path, tree) : folderItem(row, node, path, tree);
  });
  return el("ul", { class: "tree" }, items);
}
function fileItem(rows, row, node, path, tree) {
  const metadataOf = () =>
    rows.columns.map((name) => [name, valueText(row.get(name))]).filter(([name, text]) => text !== "" && !["id", "type"].includes(name));
  const box = el("input", {
    type: "checkbox",
    value: path,
    checked: tree.isShown(path),
    on: { change: () => tree.toggle(node, path, box.checked, metadataOf) },
  });
  box.metadataOf = metadataOf;
  return el("li", {}, el("label", {}, box, el("span", { text: row.id })));
}
function folderItem(row, node, path, tree) {
  const details = el("details", {}, el("summary", { text: row.id }));
  let filled = null;
  details.fill = () => {
    filled ??= node
      .children({ signal: tree.signal })
      .then((rows) => treeLevel(rows, node, `${path}/`, tree), problem)
      .then((level) => details.append(level));
    return filled;
  };
  details.addEventListener("toggle", () => {
    if (details.open) details.fill();
  });
  return el("li", {}, details);
}
/** Opens the first folder, and that in it, until there are files. */
async function openFirst(level) {
  for (let here = level; here && !here.querySelector("input"); here = here.querySelector("details > ul")) {
    const details = here.querySelector("details");
    if (!details) return;
    await details.fill();
    details.open = true;
  }
}

/** Two pictures over each other, parted by a slider. Hidden unless exactly two are shown. */
function swipeView(cards, view, changed) {
  const [left, right] = [el("canvas"), el("canvas", { class: "upper" })],
    names = el("div", { class: "ends" }, el("span"), el("span"));
  const slider = el("input", {
    type: "range",
    min: 0,
    max: 100,
    value: 50,
    "aria-label": "Where the second picture begins, in percent",
    on: { input: part },
  });
  const stage = el("div", { class: "stage" }, left, right),
    body = el("div", { class: "swipe" }, stage, slider, names);
  const box = el("input", {
    type: "checkbox",
    checked: Boolean(view.swipe),
    on: {
      change: () => {
        view.swipe = box.checked || undefined;
        refresh();
        changed();
      },
    },
  });
  const element = el("div", { hidden: true }, el("label", { class: "row" }, box, el("span", { text: "One over the other (swipe)" })), body);
  function part() {
    stage.style.setProperty("--part", `${slider.value}%`);
  }
  function refresh() {
    const drawn = [...cards].filter(([, { canvas }]) => canvas?.width > 0);
    element.hidden = drawn.length !== 2;
    body.hidden = element.hidden || !view.swipe;
    if (body.hidden) return;
    drawn.forEach(([path, { canvas }], i) => {
      const copy = [left, right][i];
      copy.width = canvas.width;
      copy.height = canvas.height;
      copy.getContext("2d").drawImage(canvas, 0, 0);
      names.children[i].textContent = path;
    });
    stage.style.aspectRatio = `${left.width} / ${left.height}`;
    part();
  }
  return { element, refresh };
}

// ---- One file ----

/** Fills the card of a file; { canvas } where it is a raster. */
async function fileCard(card, node, path, { names, link, drawn, metadataOf, signal }) {
  const title = el("figcaption", {}, el("span", { text: path })),
    links = el("div"),
    parts = [title];
  let canvas;
  try {
    const raster = await node.raster({ signal });
    const view = await rasterView(raster, { name: path, names, link, drawn, signal });
    canvas = view.canvas;
    parts.push(view.element);
  } catch (error) {
    if (signal.aborted) return {};
    parts.push(
      ...(error.code === "TACORE_E_UNSUPPORTED"
        ? await otherFile(node, error, signal).catch((other) => [problem(other)])
        : [problem(error)]),
    );
  }
  if (canvas)
    title.append(
      button(
        "Larger",
        ({ target }) => {
          const isLarge = card.classList.toggle("large");
          target.textContent = isLarge ? "Smaller" : "Larger";
        },
        { class: "link" },
      ),
    );
  const own = metadataOf?.() ?? [];
  if (own.length > 0)
    parts.push(
      el(
        "details",
        {},
        el("summary", { text: "Metadata" }),
        el("dl", { class: "facts" }, own.map(([name, text]) => [el("dt", { text: name }), el("dd", { text })]).flat()),
      ),
    );
  replace(card, ...parts, links);
  fileLinks(links, node, path, signal);
  return { canvas };
}

async function fileLinks(links, node, path, signal) {
  const place = await node.place({ signal }).catch(() => null),
    gdal = await node.path({ signal }).catch(() => null);
  const message = el("div");
  const save = button(
    "Download",
    async () => {
      replace(message);
      await node.bytes({ signal }).then(
        (bytes) => download(path.replaceAll("/", "_") + ending(bytes), bytes, "application/octet-stream"),
        (error) => replace(message, problem(error)),
      );
    },
    { class: "small" },
  );
  replace(
    links,
    el("div", { class: "row" }, save, gdal && copyButton(() => gdal, "Copy path", { class: "small", title: "Copy the path for GDAL" })),
    el("p", { class: "path", tabIndex: 0 }, place?.size >= 0 && `${sizeText(place.size)} · `, gdal && el("code", { text: gdal })),
    message,
  );
}
const ending = (bytes) =>
  (/^(II[*+]\0|MM\0[*+])/.test(startOf(bytes)) && ".tif") ||
  (PICTURES.find(([pattern]) => pattern.test(startOf(bytes)))?.[1].replace("image/", ".") ?? "");
const startOf = (bytes) => String.fromCharCode(...bytes.subarray(0, 12));

/** A file that is no raster which is decoded: a picture that browsers know, text, or a sentence. */
async function otherFile(node, error, signal) {
  const { size } = await node.place({ signal });
  if (size > MOST_READ) return [el("p", { text: `${explained(error)} It has ${sizeText(size)}.` })];
  const bytes = await node.bytes({ signal }),
    type = PICTURES.find(([pattern]) => pattern.test(startOf(bytes)))?.[1];
  if (type) {
    const url = URL.createObjectURL(new Blob([bytes], { type })),
      free = () => URL.revokeObjectURL(url);
    return [el("img", { src: url, alt: `Picture of ${node.id}`, class: "picture", on: { load: free, error: free } })];
  }
  const text = textOf(bytes);
  return text === null
    ? [el("p", { text: explained(error) })]
    : [el("pre", { class: "text", tabIndex: 0, "aria-label": `Text of ${node.id}`, text })];
}
/** Null for bytes that are no text; JSON is indented. */
function textOf(bytes) {
  if (bytes.length > MOST_TEXT) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (/[\0-\x08\x0e-\x1f]/.test(text)) return null;
    return /^\s*[[{]/.test(text) ? JSON.stringify(JSON.parse(text), null, 2) : text;
  } catch {
    return null;
  }
}
