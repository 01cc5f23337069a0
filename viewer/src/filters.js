// The panel of filters: a histogram, bars or a search for each column, which is read when its filter is opened.
import { barsPath } from "./picture.js";
import { button, el, labelled, onceAFrame, problem, replace, svg } from "./dom.js";
import { binned, hasFilter, isTime, limitsOf, valueAt } from "./selection.js";
import { countText, numberText, plural, roundedTimes, timeOf, timeText, timeUnit } from "./text.js";

const BINS = 48,
  WIDTH = 288,
  HEIGHT = 72; // of a histogram
const GRIP = 8; // pixels around the end of a range that move it
const MOST_SHOWN = 12; // classes before the others are folded away
const EXAMPLES = 3; // of texts

/** The panel. `changed(name, test)` when the user sets the filter of a column, or "area". */
export function createFilters(selection, changed) {
  const columns = selection.dataset.columns.filter((column) => hasFilter(column) && column.name !== "type");
  const parts = new Map(columns.map((column) => [column.name, columnFilter(selection, column, changed)]));
  const area = areaFilter(selection, changed);
  const search = el("input", { type: "search", placeholder: "Find a column", "aria-label": "Find a column", on: { input: found } });
  const none = el("p", { class: "dim", text: "No column of this name.", hidden: true });
  function found() {
    const text = search.value.trim().toLowerCase();
    for (const [name, { element }] of parts) element.hidden = !name.toLowerCase().includes(text);
    none.hidden = [...parts.values()].some(({ element }) => !element.hidden);
  }
  const clear = button("Remove all filters", () => changed(null), { class: "wide" });
  const refresh = onceAFrame(() => {
    for (const part of [area, ...parts.values()]) part.refresh();
    clear.hidden = selection.filters.size === 0;
  });
  selection.addEventListener("change", refresh);
  refresh();
  const element = el(
    "div",
    { class: "filters" },
    clear,
    columns.length > 8 && search,
    area.element,
    [...parts.values()].map((part) => part.element),
    none,
  );
  return {
    element,
    open: (name) => {
      const part = parts.get(name);
      if (part) part.element.open = true;
    },
  };
}

/** A part that can be folded: { element, refresh }. `fill(body)` makes its content when it is opened, and returns what draws it anew. */
function folded(name, { title, description, state, fill }) {
  const body = el("div", { class: "filter-body" }),
    mark = el("span", { class: "badge", text: "on", hidden: true });
  let draw = null;
  const element = el(
    "details",
    { class: "filter", data: { name } },
    el("summary", {}, el("span", { class: "filter-name", text: title, title: description }), mark),
    body,
  );
  element.addEventListener("toggle", async () => {
    if (!element.open || draw) return;
    draw = () => {};
    replace(body, el("p", { class: "dim", text: "Reading the column …" }));
    try {
      draw = await fill(body);
      draw();
    } catch (error) {
      draw = null;
      replace(
        body,
        problem(error),
        button("Try again", () => element.dispatchEvent(new Event("toggle"))),
      );
    }
  });
  const refresh = () => {
    mark.hidden = !state();
    if (element.open) draw?.();
  };
  return { element, refresh };
}

function columnFilter(selection, column, changed) {
  const { name, description } = column;
  const set = (test) => changed(name, test);
  const fill = async (body) => {
    const read = await selection.column(name);
    const make = read.numbers ? rangeFilter : read.kind === "class" ? classFilter : textFilter;
    return make(selection, read, body, set);
  };
  return folded(name, {
    title: name,
    description: [column.type, description].filter(Boolean).join(": "),
    state: () => selection.filters.has(name),
    fill,
  });
}

// ---- Numbers and times ----

function rangeFilter(selection, column, body, set) {
  const isOfTime = isTime(column),
    { min, max } = limitsOf(column.numbers, selection.all);
  const range = { min, max, length: max - min };
  if (!Number.isFinite(min)) {
    replace(body, el("p", { class: "dim", text: "No sample has a value." }));
    return () => {};
  }
  if (min === max) {
    replace(body, el("p", { class: "dim", text: `All values are ${isOfTime ? timeText(min) : numberText(min)}.` }));
    return () => {};
  }
  const setRange = (ends) => set(ends && tidy(ends, range.length, isOfTime));
  const chart = histogram(selection, column, range, setRange);
  const inputs = limitInputs(column.name, isOfTime, range, set);
  const mover = isOfTime ? timeMover(selection, column, range, setRange) : null;
  const count = el("p", { class: "dim small" });
  const numEmpty = selection.all.reduce((sum, row) => sum + (Number.isNaN(column.numbers[row]) ? 1 : 0), 0);
  count.textContent = numEmpty > 0 ? `${plural(numEmpty, "sample")} without a value` : "";
  replace(body, chart.element, inputs.element, mover?.element, numEmpty > 0 && count);
  return () => {
    const test = selection.filters.get(column.name)?.test ?? null;
    chart.draw(test);
    inputs.show(test);
    mover?.show(test);
  };
}
/** Ends of a range as people would write them. */
function tidy({ min, max }, length, isOfTime) {
  if (isOfTime) return Object.fromEntries(roundedTimes([min, max], length).map((value, i) => [["min", "max"][i], value]));
  const digits = Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(length))));
  return { min: Number(min.toFixed(digits)), max: Number(max.toFixed(digits)) };
}

/** Bars of all and of the selected samples, with a brush: drag to select, drag its inside or its ends to change it, click to remove it. */
function histogram(selection, column, { min, max, length }, setRange) {
  const textOf = isTime(column) ? timeText : numberText;
  const [all, kept, brush] = [
    svg("path", { class: "bars-all" }),
    svg("path", { class: "bars" }),
    svg("rect", { class: "brush", y: 0, height: HEIGHT }),
  ];
  const chart = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "histogram", preserveAspectRatio: "none", role: "img" },
    all,
    kept,
    brush,
  );
  let test = null,
    drag = null;
  const shareOf = (value) => Math.max(0, Math.min(1, (value - min) / length));
  const shareAt = (event) => {
    const { left, width } = chart.getBoundingClientRect();
    return Math.max(0, Math.min(1, (event.clientX - left) / width));
  };
  const showBrush = (ends) => {
    brush.toggleAttribute("hidden", !ends);
    if (!ends) return;
    brush.setAttribute("x", ends[0] * WIDTH);
    brush.setAttribute("width", Math.max(1.5, (ends[1] - ends[0]) * WIDTH));
  };
  const ranges = () => (test ? [shareOf(test.min ?? min), shareOf(test.max ?? max)] : null);
  const apply = onceAFrame(() => {
    if (drag?.ends) setRange({ min: min + drag.ends[0] * length, max: min + drag.ends[1] * length });
  });

  chart.addEventListener("pointerdown", (event) => {
    chart.setPointerCapture(event.pointerId);
    drag = grabbed(ranges(), shareAt(event), GRIP / chart.getBoundingClientRect().width);
  });
  chart.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const ends = dragged(drag, shareAt(event));
    if (ends[1] - ends[0] < 0.005 && !drag.ends) return;
    drag.ends = ends;
    showBrush(ends);
    apply();
  });
  chart.addEventListener("pointerup", () => {
    if (drag?.ends) setRange({ min: min + drag.ends[0] * length, max: min + drag.ends[1] * length });
    else if (drag && test) setRange(null);
    drag = null;
  });
  chart.addEventListener("pointercancel", () => {
    drag = null;
  });

  function draw(now) {
    test = now;
    const counts = binned(column.numbers, selection.all, BINS, selection.meetsOthers(column.name));
    const most = Math.max(1, ...counts.all);
    all.setAttribute("d", barsPath(counts.all, most, WIDTH, HEIGHT));
    kept.setAttribute("d", barsPath(counts.kept, most, WIDTH, HEIGHT));
    if (!drag) showBrush(ranges());
    const [ends, mode] = [`from ${textOf(min)} to ${textOf(max)}`, modeText(counts.all, min, length, textOf)];
    chart.setAttribute("aria-label", `Histogram of ${column.name} ${ends}, most samples between ${mode}`);
  }
  return { element: chart, draw };
}
function modeText(counts, min, length, textOf) {
  const bin = counts.indexOf(Math.max(...counts));
  return [bin, bin + 1].map((i) => textOf(min + (i / BINS) * length)).join(" and ");
}
/** What a pointer takes hold of: an end of the range, its inside, or a new one. Shares of the width. */
function grabbed(ends, at, grip) {
  if (ends && Math.abs(at - ends[0]) < grip) return { from: ends[1] };
  if (ends && Math.abs(at - ends[1]) < grip) return { from: ends[0] };
  if (ends && at > ends[0] && at < ends[1]) return { inside: ends, at };
  return { from: at };
}
function dragged({ from, inside, at }, now) {
  if (!inside) return [Math.min(from, now), Math.max(from, now)];
  const by = Math.max(-inside[0], Math.min(1 - inside[1], now - at));
  return inside.map((end) => end + by);
}

function limitInputs(name, isOfTime, { min: least, max: most }, set) {
  const input = (word, end) =>
    el("input", {
      type: isOfTime ? "text" : "number",
      step: "any",
      placeholder: isOfTime ? timeText(end).slice(0, 10) : numberText(end),
      "aria-label": `${name} ${word}`,
      on: { change: typed },
    });
  const [from, to] = [input("from", least), input("to", most)],
    message = el("p", { class: "problem", hidden: true });
  const valueOf = (field, isEnd) => (field.value.trim() === "" ? undefined : isOfTime ? timeOf(field.value, isEnd) : Number(field.value));
  function typed() {
    const min = valueOf(from, false),
      max = valueOf(to, true);
    message.hidden = ![min, max].some(Number.isNaN);
    message.textContent = isOfTime ? "Write a time as 2023-01-31 or 2023-01-31 12:00." : "Write a number.";
    if (message.hidden) set(min === undefined && max === undefined ? null : { min, max });
  }
  function show(test) {
    for (const [field, value] of [
      [from, test?.min],
      [to, test?.max],
    ]) {
      if (document.activeElement !== field) field.value = value === undefined ? "" : isOfTime ? timeText(value) : String(value);
    }
  }
  return { element: el("div", {}, el("div", { class: "row range" }, from, el("span", { class: "dim", text: "to" }), to), message), show };
}

/** A slider that moves the range of time, and plays it. */
function timeMover(selection, column, { min, length }, setRange) {
  const slider = el("input", {
    type: "range",
    min: 0,
    max: 1,
    step: "any",
    "aria-label": `Move the range of ${column.name}`,
    on: { input: () => move(Number(slider.value)) },
  });
  let test = null,
    timer = 0;
  const width = () => (test ? (test.max ?? min + length) - (test.min ?? min) : length / 10);
  /** Whole units, of which the range always has as many. */
  function move(share) {
    const unit = timeUnit(length),
      size = Math.max(1, Math.round(width() / unit)) * unit,
      first = Math.floor(min / unit) * unit,
      last = Math.max(first, Math.floor((min + length) / unit) * unit + unit - size);
    const start = first + Math.round((share * (last - first)) / unit) * unit;
    slider.setAttribute("aria-valuetext", `${timeText(start)} to ${timeText(start + size - 1)}`);
    setRange({ min: start, max: start + size - 1 });
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }
  const play = button(
    "Play",
    () => {
      if (timer) return stop();
      play.textContent = "Stop";
      if (Number(slider.value) === 1) slider.value = 0;
      timer = setInterval(() => {
        if (Number(slider.value) === 1 || !slider.isConnected) return stop();
        slider.value = Math.min(1, Number(slider.value) + 0.02);
        return move(Number(slider.value));
      }, 150);
      return undefined;
    },
    { class: "small", "aria-label": `Play the range of ${column.name}` },
  );
  function show(now) {
    test = now;
    if (document.activeElement !== slider && !timer)
      slider.value = test ? Math.max(0, Math.min(1, ((test.min ?? min) - min) / Math.max(1, length - width()))) : 0;
  }
  return { element: el("div", { class: "row" }, slider, play), show };
}

// ---- Classes and texts ----

function classFilter(selection, column, body, set) {
  const { labels, counts, codes, name } = column;
  const order = labels
    .map((_, code) => code)
    .sort((a, b) => counts[b] - counts[a])
    .filter((code) => counts[code] > 0);
  const items = order.map((code) => {
    const box = el("input", { type: "checkbox", on: { change: chosen } }),
      bar = el("span", { class: "class-bar" }),
      count = el("span", { class: "class-count" });
    const label = el(
      "label",
      { class: "class" },
      box,
      el("span", { class: "class-name", text: labels[code] ?? "no value", title: labels[code] ?? "" }),
      bar,
      count,
    );
    return { code, box, bar, count, label };
  });
  function chosen() {
    const found = items.filter(({ box }) => box.checked).map(({ code }) => labels[code]);
    set(found.length === 0 ? null : { labels: found });
  }
  const more =
    items.length > MOST_SHOWN &&
    button(
      `Show all ${items.length}`,
      () => {
        items.forEach(({ label }) => {
          label.hidden = false;
        });
        more.remove();
      },
      { class: "small" },
    );
  items.slice(MOST_SHOWN).forEach(({ label }) => {
    label.hidden = true;
  });
  replace(
    body,
    el(
      "div",
      { role: "group", "aria-label": `Values of ${name}` },
      items.map(({ label }) => label),
    ),
    more,
  );
  return () => {
    const meets = selection.meetsOthers(name),
      kept = new Uint32Array(labels.length),
      test = selection.filters.get(name)?.test;
    for (const row of selection.all) if (meets(row)) ++kept[codes[row]];
    const most = Math.max(1, ...counts);
    for (const { code, box, bar, count } of items) {
      box.checked = test?.labels?.includes(labels[code]) ?? false;
      bar.style.setProperty("--all", `${(100 * counts[code]) / most}%`);
      bar.style.setProperty("--kept", `${(100 * kept[code]) / most}%`);
      count.textContent = countText(kept[code]);
    }
  };
}

function textFilter(selection, column, body, set) {
  const { name, labels } = column;
  let timer = 0;
  const input = el("input", {
    type: "search",
    on: {
      input: () => {
        clearTimeout(timer);
        timer = setTimeout(typed, 250);
      },
    },
  });
  const typed = () => set(input.value.trim() === "" ? null : { text: input.value.trim() });
  const about = el("p", { class: "dim small" });
  replace(body, labelled(`${name} contains`, input), about);
  return () => {
    const text = selection.filters.get(name)?.test.text ?? "";
    if (document.activeElement !== input) input.value = text;
    const some = Array.from(selection.rows.subarray(0, EXAMPLES), (row) => valueAt(column, row)).join(", ");
    about.textContent = text === "" && labels ? `${plural(labels.length, "different text")}, such as ${some}` : `Such as ${some}`;
  };
}

// ---- The area ----

/** The box of the map in numbers, for those who know it or do not use a pointer. */
function areaFilter(selection, changed) {
  const fill = (body) => {
    const fields = ["West", "South", "East", "North"].map((word) => ({
      word,
      input: el("input", { type: "number", step: "any", on: { change: typed } }),
    }));
    const message = el("p", { class: "dim small" });
    function typed() {
      const box = fields.map(({ input }) => Number(input.value || NaN));
      const isWhole = box.every(Number.isFinite) && box[1] <= box[3];
      message.textContent = isWhole ? "" : "All four are needed, in degrees, and south below north.";
      if (isWhole) changed("area", { box });
    }
    const remove = button("Remove", () => changed("area", null), { class: "small", "aria-label": "Remove the area" });
    replace(
      body,
      el(
        "div",
        { class: "box" },
        fields.map(({ word, input }) => labelled(word, input)),
      ),
      message,
      remove,
    );
    return () => {
      const test = selection.filters.get("area")?.test;
      fields.forEach(({ input }, i) => {
        if (document.activeElement !== input) input.value = test?.box?.[i] ?? "";
      });
      if (test) message.textContent = test.polygon ? `A shape of ${test.polygon.length} points, drawn on the map.` : "";
      remove.hidden = !test;
    };
  };
  return folded("area", {
    title: "Area",
    description: "Longitudes and latitudes in degrees",
    state: () => selection.filters.has("area"),
    fill,
  });
}
