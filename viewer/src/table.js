// The table of the selected samples: a grid whose rows are read when they are seen.
import { button, el, onceAFrame, replace, select, showDialog } from "./dom.js";
import { hasFilter, isEpoch, unitOf, valueAt } from "./selection.js";
import { timeText, valueText } from "./text.js";

const ROW = 30; // pixels
const AT_ONCE = 50; // rows of one reading
const MOST_PIXELS = 8_000_000; // browsers cut elements that are higher
const MOST_PARTS = 60; // that are kept
const WIDTHS = { string: 150, binary: 180, list: 190, struct: 220, timestamp: 185 }; // of columns, in pixels; others:
const WIDTH = 110,
  ID_WIDTH = 210;

/** { element, setColumns, setSort, mark }. `pick(row)` of a sample, `sort(name)`, `choose(names)` of columns, `failed(error)`. */
export function createTable(selection, { pick, sort, choose, failed }) {
  const head = el("div", { class: "grid-row grid-head", role: "row", "aria-rowindex": 1 });
  const space = el("div", { class: "grid-space" }),
    body = el("div", { role: "rowgroup" }, space);
  const grid = el(
    "div",
    {
      class: "grid",
      role: "grid",
      tabIndex: 0,
      "aria-label": "Selected samples. Enter opens a sample, or sorts by the column in the first row.",
    },
    el("div", { role: "rowgroup", class: "grid-top" }, head),
    body,
  );
  const types = new Map(selection.dataset.columns.map(({ name, type }) => [name, type]));
  let columns = [],
    parts = new Map(),
    marked = null;
  let row = 0,
    column = 0; // of the active cell; row -1 is the head

  const count = () => selection.rows.length,
    isTall = () => count() * ROW > MOST_PIXELS;
  const height = () => Math.min(count() * ROW, MOST_PIXELS),
    numSeen = () => Math.ceil(grid.clientHeight / ROW);
  /** The first row that is seen; of very many rows the bar moves over several at once. */
  function first() {
    if (!isTall()) return Math.max(0, Math.floor(grid.scrollTop / ROW));
    return Math.round((grid.scrollTop / Math.max(1, height() + ROW - grid.clientHeight)) * Math.max(0, count() - numSeen() + 2));
  }

  /** Values of a row by name, or null until they are there. Columns that filters have read are not read again. */
  function rowAt(i) {
    const missing = columns.filter((name) => !selection.columns.has(name)),
      read = missing.length > 0 ? part(Math.floor(i / AT_ONCE), missing) : null;
    if (missing.length > 0 && !read) return null;
    const sample = read?.at(i % AT_ONCE),
      position = selection.rows[i];
    return (name) => (selection.columns.has(name) ? known(selection.columns.get(name), position) : storedText(name, sample.get(name)));
  }
  function storedText(name, value) {
    return value !== null && isEpoch({ name, type: types.get(name) }) ? timeText(Number(value) * unitOf(value)) : valueText(value);
  }
  function known(read, position) {
    const value = valueAt(read, position);
    return read.kind === "time" && value !== null ? timeText(value) : valueText(value);
  }
  function part(number, missing) {
    const found = parts.get(number);
    if (found && missing.every((name) => found.names.includes(name))) return found.rows;
    const made = { rows: null, names: missing },
      mine = parts;
    mine.set(number, made);
    if (mine.size > MOST_PARTS) mine.delete(mine.keys().next().value);
    const positions = selection.rows.slice(number * AT_ONCE, (number + 1) * AT_ONCE);
    selection.dataset.rows({ positions, columns: missing }).then(
      (rows) => {
        made.rows = rows;
        if (mine === parts) draw();
      },
      (error) => {
        if (mine === parts) failed(error);
      },
    );
    return null;
  }
  const cellId = (i, j) => `cell-${i}-${j}`;
  function line(i, top) {
    const position = selection.rows[i],
      textOf = rowAt(i);
    const out = el(
      "div",
      {
        class: `grid-row${position === marked ? " marked" : ""}`,
        role: "row",
        "aria-rowindex": i + 2,
        "aria-selected": String(position === marked),
        on: {
          click: () => {
            [row] = [i];
            pick(position);
          },
        },
      },
      columns.map((name, j) =>
        el("div", {
          role: "gridcell",
          id: cellId(i, j),
          class: `cell ${kindOf(name)}${i === row && j === column ? " active" : ""}`,
          text: textOf ? textOf(name) : "…",
        }),
      ),
    );
    out.style.top = `${top}px`;
    return out;
  }
  const kindOf = (name) => (/^(int|double)/.test(types.get(name)) ? "number" : "");
  const draw = onceAFrame(() => {
    if (grid.clientHeight === 0) return;
    space.style.height = `${height()}px`;
    grid.setAttribute("aria-rowcount", String(count() + 1));
    grid.setAttribute("aria-colcount", String(columns.length));
    const begin = Math.max(0, first() - (isTall() ? 0 : 4)),
      end = Math.min(begin + numSeen() + 8, count());
    const lines = Array.from({ length: Math.max(0, end - begin) }, (_, i) =>
      line(begin + i, isTall() ? grid.scrollTop + i * ROW : (begin + i) * ROW),
    );
    if (count() === 0)
      lines.push(el("div", { class: "grid-none", role: "row" }, el("div", { role: "gridcell", text: "No sample meets the filters." })));
    body.replaceChildren(space, ...lines);
    for (const [j, cell] of [...head.children].entries()) cell.classList.toggle("active", row === -1 && j === column);
    grid.setAttribute("aria-activedescendant", cellId(row, column));
  });

  function drawHead() {
    const { sort: order } = selection;
    replace(
      head,
      columns.map((name, j) => {
        const isSorted = order?.name === name,
          direction = order?.isDescending ? "descending" : "ascending",
          canSort = hasFilter({ type: types.get(name) });
        return el(
          "div",
          {
            role: "columnheader",
            id: cellId(-1, j),
            class: `cell ${kindOf(name)}${canSort ? " sorts" : ""}`,
            title: canSort ? `Sort by ${name}` : name,
            "aria-sort": isSorted ? direction : "none",
            on: { click: () => canSort && sort(name) },
          },
          el("span", { class: "cell-name", text: name }),
          isSorted && el("span", { class: "arrow", "aria-hidden": "true", text: order.isDescending ? "▼" : "▲" }),
        );
      }),
    );
    const widths = columns
      .map((name) => (name === "id" ? ID_WIDTH : (WIDTHS[types.get(name)] ?? WIDTH)))
      .map((width, j) => `minmax(${Math.max(width, columns[j].length * 7 + 36)}px, 1fr)`);
    grid.style.setProperty("--columns", widths.join(" "));
    grid.style.setProperty("--width", `${columns.reduce((sum, name, j) => sum + Number(/\d+/.exec(widths[j])[0]), 0)}px`);
  }

  /** Makes a cell the active one, and seen. */
  function goTo(i, j) {
    row = Math.max(-1, Math.min(count() - 1, i));
    column = Math.max(0, Math.min(columns.length - 1, j));
    const room = grid.clientHeight - 2 * ROW;
    space.style.height = `${height()}px`;
    if (row >= 0 && isTall()) {
      if (row < first() || row > first() + numSeen() - 3) grid.scrollTop = (row / count()) * (height() + ROW - grid.clientHeight);
    } else if (row >= 0 && row * ROW < grid.scrollTop) {
      grid.scrollTop = row * ROW;
    } else if (row * ROW > grid.scrollTop + room) {
      grid.scrollTop = row * ROW - room;
    }
    const cell = head.children[column];
    if (cell && cell.offsetLeft < grid.scrollLeft) grid.scrollLeft = cell.offsetLeft;
    if (cell && cell.offsetLeft + cell.offsetWidth > grid.scrollLeft + grid.clientWidth)
      grid.scrollLeft = cell.offsetLeft + cell.offsetWidth - grid.clientWidth;
    draw();
  }
  function onKey(event) {
    const page = Math.max(1, numSeen() - 2);
    const steps = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [page, 0], PageUp: [-page, 0] };
    if (event.key in steps) goTo(Math.max(event.key === "PageUp" ? 0 : -1, row + steps[event.key][0]), column + steps[event.key][1]);
    else if (event.key === "Home") goTo(event.ctrlKey ? 0 : row, event.ctrlKey ? column : 0);
    else if (event.key === "End") goTo(event.ctrlKey ? count() - 1 : row, event.ctrlKey ? column : columns.length - 1);
    else if (event.key === "Enter" || event.key === " ") activate();
    else return;
    event.preventDefault();
  }
  function activate() {
    if (row >= 0 && count() > 0) pick(selection.rows[row]);
    else if (row === -1 && hasFilter({ type: types.get(columns[column]) })) sort(columns[column]);
  }
  grid.addEventListener("keydown", onKey);
  grid.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(grid);
  selection.addEventListener("change", () => {
    parts = new Map();
    row = Math.min(Math.max(row, 0), Math.max(0, count() - 1));
    drawHead();
    draw();
  });

  const chooser = button("Columns", () => chooseColumns([...types.keys()], columns, choose), { title: "Columns of the table" });
  const sorter = select(
    [["", "order of the dataset"], ...[...types.keys()].filter((name) => hasFilter({ type: types.get(name) })).map((name) => [name, name])],
    "",
    (name) => sort(name || null),
    { "aria-label": "Sort by" },
  );
  return {
    element: el(
      "div",
      { class: "table" },
      el(
        "div",
        { class: "bar" },
        el("h2", { text: "Samples" }),
        el("label", { class: "row" }, el("span", { class: "dim", text: "Sort by" }), sorter),
        chooser,
      ),
      grid,
    ),
    setColumns(names) {
      columns = names;
      parts = new Map();
      column = Math.min(column, names.length - 1);
      drawHead();
      draw();
    },
    showSort() {
      sorter.value = selection.sort?.name ?? "";
    },
    mark(position) {
      marked = position;
      const at = position === null ? -1 : selection.rows.indexOf(position);
      if (at >= 0 && at !== row) goTo(at, column);
      else draw();
    },
    focus: () => grid.focus({ preventScroll: true }),
  };
}

function chooseColumns(all, chosen, choose) {
  const boxes = all
    .filter((name) => name !== "id")
    .map((name) => {
      const box = el("input", {
        type: "checkbox",
        checked: chosen.includes(name),
        value: name,
        on: { change: () => choose(["id", ...boxes.filter(({ checked }) => checked).map(({ value }) => value)]) },
      });
      return box;
    });
  showDialog(
    "Columns of the table",
    el(
      "div",
      { class: "checks" },
      boxes.map((box) => el("label", {}, box, el("span", { text: box.value }))),
    ),
  );
}
