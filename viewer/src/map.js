// The map: Leaflet with the canvas of points.js, tools that draw areas, and the legend of its colours.
import { Map as LeafletMap } from "leaflet/src/map/Map.js";
import "leaflet/src/map/handler/Map.Drag.js";
import "leaflet/src/map/handler/Map.Keyboard.js";
import "leaflet/src/map/handler/Map.ScrollWheelZoom.js";
import "leaflet/src/map/handler/Map.TouchZoom.js";
import { TileLayer } from "leaflet/src/layer/tile/TileLayer.js";
import { cssOf, CLASS_COLOURS, OTHER_COLOUR, ramp, rampCss } from "./picture.js";
import { button, el, labelled, replace, select, showDialog } from "./dom.js";
import { NEAR, SampleLayer, wrapped } from "./points.js";
import { limitsOf, valueAt } from "./selection.js";
import { countText, numberText, timeText } from "./text.js";

const RAMP = 64; // colours of numbers

const rounded = (degrees) => Number(degrees.toFixed(5));

/** { element, fit, view, setView, setColour, mark, redraw }. `pick(row)` of a sample, `area(test)` that was drawn, `moved()`,
 * `coloured(name)`. */
export function createMap(selection, { pick, area, moved, coloured }) {
  const box = el("div", {
    class: "map",
    "aria-label": "Map of the samples. Arrow keys move it, plus and minus zoom.",
    role: "application",
  });
  const map = new LeafletMap(box, {
    zoomControl: false,
    attributionControl: false,
    zoomSnap: 0.25,
    wheelPxPerZoomLevel: 100,
    worldCopyJump: true,
    minZoom: 0,
    maxZoom: 19,
  });
  map.setView([20, 0], 1);
  const layer = new SampleLayer(selection);
  layer.addTo(map);
  const tools = areaTools(map, layer, area),
    legend = colourLegend(selection, layer, coloured),
    place = el("output", { class: "place", "aria-hidden": "true" });
  let isPlaced = false,
    tiles = null;

  function fit() {
    const found = boundsOf(selection);
    if (found) map.fitBounds(found, { padding: [30, 30], maxZoom: 13, animate: false });
  }
  function setTiles(url) {
    tiles?.remove();
    tiles = url ? new TileLayer(url, { maxZoom: 19 }).addTo(map) : null;
    layer.hasTiles = tiles !== null;
    layer.redraw();
  }
  box.addEventListener("pointermove", (event) => {
    const { lat, lng } = map.mouseEventToLatLng(event);
    const row = tools.isDrawing() || event.buttons ? null : layer.nearest(event);
    place.textContent = [`${lat.toFixed(3)}, ${wrapped(lng).toFixed(3)}`, row !== null && legend.textOf(row)].filter(Boolean).join(" · ");
    box.classList.toggle("over", row !== null);
  });
  box.addEventListener("pointerleave", () => {
    place.textContent = "";
  });
  map.on("click", ({ originalEvent }) => {
    const row = tools.isDrawing() ? null : layer.nearest(originalEvent);
    if (row !== null) pick(row);
  });
  map.on("dblclick", ({ latlng }) => {
    if (!tools.isDrawing()) map.setZoomAround(latlng, map.getZoom() + 1);
  });
  map.on("moveend", () => {
    if (isPlaced) moved();
  });
  new ResizeObserver(() => {
    const centre = map.getCenter();
    map.invalidateSize({ pan: false });
    map.setView(centre, map.getZoom(), { reset: true });
  }).observe(box);

  const bar = el(
    "div",
    { class: "map-tools", role: "group", "aria-label": "Tools of the map" },
    button("+", () => map.zoomIn(), { "aria-label": "Zoom in", title: "Zoom in" }),
    button("−", () => map.zoomOut(), { "aria-label": "Zoom out", title: "Zoom out" }),
    button("Fit", fit, { title: "Show all selected samples" }),
    tools.buttons,
    button("Tiles", () => askForTiles(setTiles), { title: "A background from a server of yours" }),
  );
  return {
    element: el("div", { class: "map-frame" }, box, bar, tools.hint, legend.element, place),
    fit() {
      isPlaced = true;
      fit();
    },
    view: () => {
      const { lat, lng } = map.getCenter();
      return [rounded(lat), rounded(wrapped(lng)), Number(map.getZoom().toFixed(2))];
    },
    setView: ([lat, lng, zoom]) => {
      isPlaced = true;
      map.setView([lat, lng], zoom, { reset: true });
    },
    setColour: legend.set,
    /** Marks a row, and moves the map to it where `isNew`. */
    mark(row, isNew) {
      layer.marked = row;
      const place = [selection.y[row], selection.x[row]];
      if (isNew && place.every(Number.isFinite) && !map.getBounds().contains(place)) map.panTo(place);
      layer.redraw();
    },
    redraw: () => layer.redraw(),
  };
}

function askForTiles(setTiles) {
  const input = el("input", { type: "url", required: true, placeholder: "https://…/{z}/{x}/{y}.png", value: sessionStorageOf("tiles") });
  const use = (url) => {
    sessionStorageOf("tiles", url);
    setTiles(url);
    dialog.close();
  };
  const dialog = showDialog(
    "Background of the map",
    el("p", { text: "Without tiles, this page asks no other server. With them, the server of the tiles sees what you look at." }),
    el(
      "form",
      {
        on: {
          submit: (event) => {
            event.preventDefault();
            use(input.value);
          },
        },
      },
      labelled("Address of the tiles", input),
      el(
        "div",
        { class: "row" },
        el("button", { text: "Use these tiles" }),
        button("No tiles", () => use("")),
      ),
    ),
  );
}
/** Pages from disk may have no storage. */
function sessionStorageOf(name, value) {
  try {
    if (value !== undefined) sessionStorage.setItem(name, value);
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

function boundsOf({ rows, x, y }) {
  const lng = limitsOf(x, rows),
    lat = limitsOf(y, rows);
  return Number.isFinite(lng.min) && Number.isFinite(lat.min)
    ? [
        [lat.min, lng.min],
        [lat.max, lng.max],
      ]
    : null;
}

// ---- Areas ----

/** Buttons that draw a box (drag) or a shape (click its corners). */
function areaTools(map, layer, area) {
  const hint = el("p", { class: "map-hint", role: "status", hidden: true }),
    container = map.getContainer();
  let mode = null,
    start = null;
  const place = (event) => {
    const { lat, lng } = map.mouseEventToLatLng(event);
    return [lng, lat];
  };
  const buttons = ["Box", "Shape"].map((name) =>
    button(name, () => setMode(mode === name ? null : name), {
      "aria-pressed": "false",
      title: name === "Box" ? "Select a box: drag" : "Select a shape: click its corners",
    }),
  );
  const done = button("Done", () => finishShape(), { hidden: true }),
    remove = button("Remove area", () => area(null), { hidden: true });
  layer.selection.addEventListener("change", () => {
    remove.hidden = !layer.selection.filters.has("area");
  });

  function setMode(next) {
    mode = next;
    start = null;
    layer.drawing = null;
    layer.redraw();
    for (const each of buttons) each.setAttribute("aria-pressed", String(each.textContent === mode));
    map.dragging[mode ? "disable" : "enable"]();
    container.classList.toggle("draws", mode !== null);
    hint.hidden = mode === null;
    hint.textContent = mode === "Box" ? "Drag a box. Escape cancels." : "Click the corners, then the first one, or Done. Escape cancels.";
    done.hidden = mode !== "Shape";
  }
  function show(points) {
    layer.drawing = points;
    layer.redraw();
  }
  function finishShape() {
    const points = layer.drawing?.corners ?? [];
    if (points.length > 2) area({ polygon: points.map((point) => point.map(rounded)) });
    setMode(null);
  }
  const boxOf = ([x0, y0], [x1, y1]) => {
    const [west, east] = [Math.min(x0, x1), Math.max(x0, x1)],
      isRound = east - west >= 360;
    return [isRound ? -180 : wrapped(west), Math.min(y0, y1), isRound ? 180 : wrapped(east), Math.max(y0, y1)].map(rounded);
  };
  container.addEventListener("pointerdown", (event) => {
    if (mode === "Box") {
      start = place(event);
      container.setPointerCapture(event.pointerId);
    }
  });
  container.addEventListener("pointermove", (event) => {
    const now = place(event);
    if (mode === "Box" && start) show([start, [now[0], start[1]], now, [start[0], now[1]]]);
    if (mode === "Shape" && layer.drawing) show(Object.assign([...layer.drawing.corners, now], { corners: layer.drawing.corners }));
  });
  container.addEventListener("pointerup", (event) => {
    if (mode !== "Box" || !start) return;
    const now = place(event),
      isBox = layer.drawing !== null && now[0] !== start[0] && now[1] !== start[1];
    if (isBox) area({ box: boxOf(start, now) });
    setMode(null);
  });
  map.on("click", ({ originalEvent: event }) => {
    if (mode !== "Shape") return;
    const corners = layer.drawing?.corners ?? [],
      now = place(event);
    const first = corners.length > 2 && map.latLngToContainerPoint([corners[0][1], corners[0][0]]);
    if (first && first.distanceTo(map.mouseEventToContainerPoint(event)) < NEAR) return finishShape();
    corners.push(now);
    return show(Object.assign([...corners], { corners }));
  });
  const onKey = (event) => {
    if (event.key === "Escape" && mode) setMode(null);
    if (event.key === "Enter" && mode === "Shape") finishShape();
  };
  container.addEventListener("keydown", onKey);
  buttons.forEach((each) =>
    each.addEventListener("keydown", (event) => {
      if (event.key === "Escape") setMode(null);
    }),
  );
  return { buttons: [...buttons, done, remove], hint, isDrawing: () => mode !== null };
}

// ---- Colours ----

/** The choice of the column that colours the points, and what its colours mean. */
function colourLegend(selection, layer, coloured) {
  const names = selection.dataset.columns
    .filter(({ type }) => ["bool", "string", "int32", "int64", "double", "date", "timestamp"].includes(type))
    .map(({ name }) => name)
    .filter((name) => !["id", "type"].includes(name));
  const choice = select([["", "one colour"], ...names.map((name) => [name, name])], "", (name) => coloured(name || undefined), {
    "aria-label": "Colour of the points",
  });
  const keys = el("div", { class: "keys" });
  let column = null,
    asked = 0;
  async function set(name) {
    const mine = ++asked;
    choice.value = name ?? "";
    const found = name ? await selection.column(name) : null;
    if (mine !== asked) return;
    column = found;
    layer.paint = null;
    replace(keys);
    if (column?.numbers) paintNumbers(selection, layer, column, keys);
    else if (column?.labels) paintClasses(layer, column, keys);
    else if (column) replace(keys, el("p", { class: "dim", text: "Too many different texts for colours." }));
    layer.redraw();
  }
  const textOf = (row) => {
    if (!column) return "";
    const value = valueAt(column, row),
      text = value === null ? "no value" : column.kind === "time" ? timeText(value) : column.numbers ? numberText(value) : value;
    return `${column.name}: ${text}`;
  };
  return { element: el("div", { class: "legend" }, labelled("Colour", choice, "row"), keys), set, textOf };
}

/** Of each row the number of its colour. */
function paintOf(values, colourOf) {
  const out = new Uint8Array(values.length);
  for (let row = 0; row < out.length; ++row) out[row] = colourOf(values[row]);
  return out;
}
function paintNumbers(selection, layer, column, keys) {
  const { numbers } = column,
    { min, max } = limitsOf(numbers, selection.all),
    textOf = column.kind === "time" ? timeText : numberText;
  const distinct = new Set();
  for (const row of selection.all) if (distinct.size <= CLASS_COLOURS.length && Number.isFinite(numbers[row])) distinct.add(numbers[row]);
  if (/int/.test(column.type) && distinct.size <= CLASS_COLOURS.length)
    return paintWhole(
      layer,
      numbers,
      [...distinct].sort((a, b) => a - b),
      keys,
    );
  layer.palette = [...ramp(RAMP), OTHER_COLOUR];
  layer.paint = paintOf(numbers, (value) =>
    Number.isFinite(value) ? Math.min(RAMP - 1, Math.floor(((value - min) / (max - min || 1)) * RAMP)) : RAMP,
  );
  const bar = el("div", { class: "ramp" });
  bar.style.background = rampCss;
  return replace(keys, bar, el("div", { class: "ends" }, el("span", { text: textOf(min) }), el("span", { text: textOf(max) })));
}
function paintWhole(layer, numbers, values, keys) {
  const order = new Map(values.map((value, i) => [value, i]));
  layer.palette = [...CLASS_COLOURS.slice(0, values.length), OTHER_COLOUR];
  layer.paint = paintOf(numbers, (value) => order.get(value) ?? values.length);
  replace(
    keys,
    values.map((value, i) => key(CLASS_COLOURS[i], numberText(value))),
  );
}
function paintClasses(layer, { labels, codes, counts }, keys) {
  const order = labels
      .map((_, code) => code)
      .sort((a, b) => counts[b] - counts[a])
      .slice(0, CLASS_COLOURS.length),
    number = new Uint8Array(labels.length).fill(order.length);
  order.forEach((code, i) => {
    number[code] = i;
  });
  layer.palette = [...CLASS_COLOURS.slice(0, order.length), OTHER_COLOUR];
  layer.paint = paintOf(codes, (code) => number[code]);
  const rest = labels.length - order.length;
  replace(
    keys,
    order.map((code, i) => key(CLASS_COLOURS[i], labels[code] ?? "no value")),
    rest > 0 && key(OTHER_COLOUR, `${countText(rest)} others`),
  );
}
function key(colour, text) {
  const patch = el("span", { class: "patch" });
  patch.style.background = cssOf(colour);
  return el("span", { class: "key" }, patch, el("span", { text }));
}
