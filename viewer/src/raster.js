// The picture of a raster: bands, stretch, colours, values under the pointer, histogram and facts.
import { barsPath, classColour, cssOf, histogramOf, MOST_CLASSES, painted, rampCss, statisticsOf } from "./picture.js";
import { el, problem, replace, select, svg } from "./dom.js";
import { numberText, plural } from "./text.js";

const MOST_PIXELS = 4 << 20; // of a band; a larger raster is shown as a preview
const MOST_VALUES = 24 << 20; // of all bands that are read at once
const FEW_CLASSES = 12; // values that a mask has at most
const TALL = 60; // percent of the height of the window that a picture takes at most
const CHANNELS = ["Red", "Green", "Blue"];

/** Pictures beside each other, in which a pointer shows the same place: fires "point" with the share of width and height. */
export const createLink = () => new EventTarget();
export const pointTo = (link, place) => link.dispatchEvent(new CustomEvent("point", { detail: place }));

/** What is remembered of the display of a child, from one sample to the next. */
const displays = new Map();

/** A view of a raster: { element, canvas, info }. `names` tells what bands and classes are called; `drawn()` after each picture. */
export async function rasterView(raster, { name, names, link, drawn, signal }) {
  const info = { ...raster.info, nodata: asStored(raster.info) },
    pixels = bandReader(raster, info, signal),
    isSmall = info.width * info.height <= MOST_PIXELS;
  const bandNames = names.bands.length === info.bands ? names.bands : Array.from({ length: info.bands }, (_, i) => `Band ${i + 1}`);
  const view = displays.get(`${name}/${info.bands}/${info.dtype}`) ?? (await firstDisplay(info, names, pixels, isSmall));
  displays.set(`${name}/${info.bands}/${info.dtype}`, view);

  const canvas = el("canvas", {
    class: "picture",
    role: "img",
    tabIndex: 0,
    "aria-label": `${name}, ${info.width} by ${info.height} pixels. Arrow keys move over the pixels.`,
  });
  const cross = el("span", { class: "cross", hidden: true }),
    message = el("div"),
    scale = el("div", { class: "scale" });
  const chart = svg("svg", { viewBox: "0 0 256 48", class: "histogram pixels", preserveAspectRatio: "none", role: "img" });
  const values = pointValues(info, pixels, bandNames, names, isSmall, signal);
  const frame = el("div", { class: "frame" }, canvas, cross);
  canvas.style.aspectRatio = `${info.width} / ${info.height}`;
  frame.style.width = `min(100%, ${(TALL * info.width) / info.height}vh)`;

  async function draw() {
    try {
      replace(message);
      if (isSmall) await drawPixels();
      else put(canvas, await raster.preview({ bands: view.bands, size: 1024, signal }));
      drawn();
    } catch (error) {
      if (!signal.aborted) replace(message, problem(error));
    }
  }
  async function drawPixels() {
    const bands = await Promise.all(view.bands.map((band) => pixels.band(band)));
    const limits = bands.map(({ statistics }) => limitsOf(view, statistics)),
      [
        {
          statistics: { classes },
        },
      ] = bands;
    const table = bands.length === 1 && (view.table !== "classes" || classes) ? view.table : "grey";
    put(
      canvas,
      painted(
        bands.map(({ values: each }) => each),
        info.width,
        info.height,
        { limits, table, nodata: info.nodata, classes },
      ),
    );
    drawHistogram(chart, bands, info.nodata);
    replace(
      scale,
      bands.length > 1 ? null : table === "classes" ? classKeys(classes, names.classes) : rampKey(table, limits[0]),
      histogramEnds(bands),
      table !== view.table &&
        bands.length === 1 &&
        el("p", { class: "dim small", text: `More than ${MOST_CLASSES} values: grey instead of classes.` }),
    );
  }

  const controls = el("div", { class: "controls" });
  const display = el(
    "details",
    {
      open: view.isOpen,
      on: {
        toggle: () => {
          view.isOpen = display.open;
        },
      },
    },
    el("summary", { text: "Display" }),
    controls,
    chart,
  );
  function arrange() {
    const focused = controls.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    replace(
      controls,
      controlsOf(view, info, bandNames, isSmall, (change) => {
        Object.assign(view, change);
        arrange();
        draw();
      }),
    );
    [...controls.children].find((each) => each.getAttribute("aria-label") === focused)?.focus();
  }
  arrange();
  followPointer(canvas, cross, info, link, values.show);
  await draw();
  const element = el(
    "div",
    { class: "raster" },
    frame,
    message,
    values.element,
    scale,
    !isSmall && el("p", { class: "dim small", text: "A large raster: its picture is made smaller, its values are those of the file." }),
    display,
    rasterFacts(info),
  );
  chart.toggleAttribute("hidden", !isSmall);
  display.hidden = !isSmall && info.bands === 1;
  return { element, canvas, info };
}

// ---- Pixels ----

/** No data as a pixel has it: TIFF writes it as text. */
const asStored = ({ nodata, dtype }) => (dtype === "float32" && nodata !== null ? Math.fround(nodata) : nodata);

/** Reads bands: all at once where they are few, else one by one. */
function bandReader(raster, { width, height, bands, nodata }, signal) {
  const size = width * height,
    isWhole = size * bands <= MOST_VALUES,
    known = new Map();
  let all = null;
  async function valuesOf(number) {
    if (!isWhole) return (await raster.pixels({ bands: [number], signal })).data;
    all ??= raster.pixels({ signal });
    return (await all).data.subarray((number - 1) * size, number * size);
  }
  function band(number) {
    if (!known.has(number))
      known.set(
        number,
        valuesOf(number).then((values) => ({ values, statistics: statisticsOf(values, nodata) })),
      );
    return known.get(number);
  }
  /** Of all bands at a pixel. */
  async function at(x, y) {
    if (!all) return [...(await raster.pixels({ window: [x, y, 1, 1], signal })).data];
    const { data } = await all;
    return Array.from({ length: bands }, (_, i) => data[i * size + y * width + x]);
  }
  return { band, at };
}

/** What is shown at first: true colour where bands are known, classes where there are few whole numbers. */
async function firstDisplay(info, names, pixels, isSmall) {
  const bands = info.bands < 3 ? [1] : names.bands.length === info.bands && names.colours ? names.colours : [1, 2, 3];
  const view = { bands, stretch: "percentiles", table: "grey", low: null, high: null, isOpen: false };
  if (!isSmall || info.bands > 2) return view;
  const {
    statistics: { classes },
  } = await pixels.band(1);
  const areClasses =
    classes && classes.length <= FEW_CLASSES && /^u?int/.test(info.dtype) && classes.every((value) => value >= 0 && value < 256);
  return { ...view, table: areClasses ? "classes" : info.dtype === "uint8" ? "grey" : "viridis" };
}

const limitsOf = ({ stretch, low, high }, statistics) => {
  if (stretch === "percentiles") return [statistics.low, statistics.high];
  return stretch === "manual" ? [low ?? statistics.min, high ?? statistics.max] : [statistics.min, statistics.max];
};

function put(canvas, image) {
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d").putImageData(image, 0, 0);
}

// ---- Values under the pointer ----

function pointValues(info, pixels, bandNames, names, isSmall, signal) {
  const { geotransform: g, nodata, bands } = info;
  const place = el("p", { class: "dim small", text: "Point at a pixel for its values." }),
    list = el("dl", { class: "values" });
  let asked = 0;
  const textOf = (value) => {
    if (Number(value) === nodata) return "no data";
    const className = bands === 1 ? names.classes.get(Number(value)) : undefined;
    return className ? `${numberText(value)} ${className}` : numberText(value);
  };
  async function show(x, y) {
    const mine = ++asked;
    const where = g
      ? ` · ${numberText(g[0] + (x + 0.5) * g[1] + (y + 0.5) * g[2])}, ${numberText(g[3] + (x + 0.5) * g[4] + (y + 0.5) * g[5])}`
      : "";
    if (!isSmall) await new Promise((resolve) => setTimeout(resolve, 60)); // such a value is read from the file
    if (mine !== asked) return;
    const found = await pixels.at(x, y).catch((error) => (signal.aborted ? null : error));
    if (mine !== asked || found === null) return;
    place.textContent = Array.isArray(found) ? `Pixel ${x}, ${y}${where}` : found.message;
    if (Array.isArray(found))
      replace(
        list,
        found.map((value, i) => el("div", {}, el("dt", { text: bandNames[i] }), el("dd", { text: textOf(value) }))),
      );
  }
  return { element: el("div", { class: "under", role: "status", "aria-label": "Values of the pixel" }, place, list), show };
}

function followPointer(canvas, cross, { width, height }, link, show) {
  let at = [Math.floor(width / 2), Math.floor(height / 2)];
  const tell = ([x, y]) => pointTo(link, { x: (x + 0.5) / width, y: (y + 0.5) / height });
  const clamp = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value)));
  const pointed = (event) => {
    const { left, top, width: wide, height: high } = canvas.getBoundingClientRect();
    tell([clamp(((event.clientX - left) / wide) * width, width), clamp(((event.clientY - top) / high) * height, height)]);
  };
  canvas.addEventListener("pointermove", pointed);
  canvas.addEventListener("pointerdown", pointed);
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    tell([clamp(at[0] + step[0], width), clamp(at[1] + step[1], height)]);
  });
  link.addEventListener("point", ({ detail: { x, y } }) => {
    at = [clamp(x * width, width), clamp(y * height, height)];
    cross.hidden = false;
    cross.style.left = `${100 * x}%`;
    cross.style.top = `${100 * y}%`;
    show(...at);
  });
}

// ---- Controls ----

/** Choices of the display; `change` gets those that differ. */
function controlsOf(view, info, bandNames, isSmall, change) {
  const isOne = view.bands.length === 1,
    bands = bandNames.map((name, i) => [String(i + 1), name]);
  const kept = (label, make) => make({ "aria-label": label, title: label });
  const mode =
    info.bands >= 3 &&
    kept("One band or three as colours", (rest) =>
      select(
        [
          ["3", "Three bands"],
          ["1", "One band"],
        ],
        String(view.bands.length),
        (count) => change({ bands: count === "3" ? firstColours(view, info) : [view.bands[0]], colours: view.bands }),
        rest,
      ),
    );
  const bandChoice = (i) =>
    kept(isOne ? "Band" : CHANNELS[i], (rest) =>
      select(bands, String(view.bands[i]), (band) => change({ bands: view.bands.with(i, Number(band)) }), {
        ...rest,
        class: isOne ? "" : CHANNELS[i].toLowerCase(),
      }),
    );
  const stretch = kept("Stretch", (rest) =>
    select(
      [
        ["percentiles", "2 to 98 %"],
        ["all", "Least to greatest"],
        ["manual", "By hand"],
      ],
      view.stretch,
      (value) => change({ stretch: value }),
      rest,
    ),
  );
  const table = kept("Colours", (rest) =>
    select(
      [
        ["grey", "Grey"],
        ["viridis", "Viridis"],
        ["classes", "Classes"],
      ],
      view.table,
      (value) => change({ table: value }),
      rest,
    ),
  );
  const limit = (key, label) =>
    el("input", {
      type: "number",
      step: "any",
      "aria-label": label,
      placeholder: label,
      value: view[key] ?? "",
      on: { change: ({ target }) => change({ [key]: target.value === "" ? null : Number(target.value) }) },
    });
  const hasStretch = isSmall && !(isOne && view.table === "classes");
  return [
    mode,
    info.bands > 1 && view.bands.map((_, i) => bandChoice(i)),
    isSmall && isOne && table,
    hasStretch && stretch,
    hasStretch && view.stretch === "manual" && [limit("low", "Black at"), limit("high", "White at")],
  ]
    .flat()
    .filter(Boolean);
}
const firstColours = ({ colours, bands }, info) =>
  colours?.length === 3 ? colours : [0, 1, 2].map((i) => Math.min(info.bands, bands[0] + i));

// ---- What the colours mean ----

function drawHistogram(chart, bands, nodata) {
  const min = Math.min(...bands.map(({ statistics }) => statistics.min)),
    max = Math.max(...bands.map(({ statistics }) => statistics.max));
  const counts = bands.map(({ values }) => histogramOf(values, { min, max }, nodata)),
    most = Math.max(1, ...counts.flatMap((each) => Math.max(...each)));
  chart.replaceChildren(
    ...counts.map((each, i) =>
      svg("path", { class: bands.length === 3 ? CHANNELS[i].toLowerCase() : "bars", d: barsPath(each, most, 256, 48) }),
    ),
  );
  chart.setAttribute("aria-label", `Histogram of the pixels, from ${numberText(min)} to ${numberText(max)}`);
}
function histogramEnds(bands) {
  const [{ statistics }] = bands;
  if (bands.length > 1) return null;
  return el("p", {
    class: "dim small",
    text:
      statistics.count === 0
        ? "No pixel has data."
        : `${numberText(statistics.min)} to ${numberText(statistics.max)}, mean ${numberText(statistics.mean)}`,
  });
}
function rampKey(table, [low, high]) {
  const bar = el("div", { class: "ramp" });
  bar.style.background = table === "viridis" ? rampCss : "linear-gradient(to right, #000, #fff)";
  return el("div", {}, bar, el("div", { class: "ends" }, el("span", { text: numberText(low) }), el("span", { text: numberText(high) })));
}
function classKeys(classes, classNames) {
  return el(
    "div",
    { class: "keys" },
    classes.map((value, i) => {
      const patch = el("span", { class: "patch" });
      patch.style.background = cssOf(classColour(i));
      return el(
        "span",
        { class: "key" },
        patch,
        el("span", { text: [numberText(value), classNames.get(value)].filter(Boolean).join(" ") }),
      );
    }),
  );
}

function rasterFacts(info) {
  const g = info.geotransform;
  const facts = {
    "Size": `${info.width} × ${info.height} pixels, ${plural(info.bands, "band")}`,
    "Type": info.dtype,
    "No data": info.nodata === null ? "none" : numberText(info.nodata),
    "CRS": info.crs ?? "none",
    "Pixel": g ? `${numberText(Math.hypot(g[1], g[4]))} × ${numberText(Math.hypot(g[2], g[5]))}` : "unknown",
    "Geotransform": g ? g.map((value) => String(value)).join(", ") : "none",
    "Stored": `${info.compression}, blocks of ${info.blockWidth} × ${info.blockHeight}, ${info.interleave.toLowerCase()} interleaved`,
  };
  return el(
    "details",
    { class: "facts-of-raster" },
    el("summary", { text: "Facts" }),
    el(
      "dl",
      { class: "facts" },
      Object.entries(facts)
        .map(([key, value]) => [el("dt", { text: key }), el("dd", { text: value })])
        .flat(),
    ),
  );
}
