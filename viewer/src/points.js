// The canvas of the map: land, grid, and all samples, as points where few are seen, as density where many are.
import { Layer } from "leaflet/src/layer/Layer.js";
import { DomUtil } from "leaflet/src/dom/index.js";
import { cssOf } from "./picture.js";
import { byId, cssColour, el, onceAFrame } from "./dom.js";

const MOST_POINTS = 20_000; // that are drawn one by one
const CELL = 3; // pixels of a cell of density
export const NEAR = 12; // pixels around the pointer
const OUTLINE_ZOOM = 9; // beyond it the outline of the land is too coarse

const worldX = (longitude) => longitude / 360 + 0.5;
const worldY = (latitude) => {
  const sine = Math.sin((Math.max(-85.05, Math.min(85.05, latitude)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
};
export const wrapped = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;

export const SampleLayer = Layer.extend({
  initialize(selection) {
    this.selection = selection;
    this.marked = null;
    this.hasTiles = false;
    this.drawing = null; // points of an area that is being drawn
    this.paint = null; // of each row a number of a colour in `palette`
    this.palette = [];
    this.redraw = onceAFrame(() => this.draw());
    this.land = landRings();
    this.worldYs = new Float64Array(selection.numRows).fill(NaN); // in Web Mercator, where the world is one wide and high
    selection.addEventListener("places", ({ detail: { begin, end } }) => {
      for (let row = begin; row < end; ++row) this.worldYs[row] = worldY(selection.y[row]);
      this.redraw();
    });
    selection.addEventListener("change", this.redraw);
  },
  onAdd(map) {
    this.canvas = DomUtil.create("canvas", "leaflet-zoom-animated samples", map.getPane("overlayPane"));
    this.draw();
  },
  onRemove() {
    this.canvas.remove();
  },
  getEvents() {
    return {
      move: this.follow,
      moveend: this.redraw,
      zoom: this.redraw,
      viewreset: this.redraw,
      resize: this.redraw,
      zoomanim: this.animate,
    };
  },
  /** While the map is moved, the canvas moves along; where drawing takes long, it is done now and then. */
  follow() {
    if (performance.now() - this.drawn > 3 * this.cost) this.redraw();
  },
  animate({ center, zoom }) {
    // The canvas moves as those of Leaflet's own renderers do while the zoom changes.
    const map = this._map,
      factor = map.getZoomScale(zoom, this.zoom);
    const offset = map
      .getSize()
      .multiplyBy(-factor / 2)
      .add(map.project(this.centre, zoom))
      .subtract(map._getNewPixelOrigin(center, zoom));
    DomUtil.setTransform(this.canvas, offset, factor);
  },

  draw() {
    const map = this._map;
    if (!map || map._animatingZoom) return;
    const { x: width, y: height } = map.getSize(),
      ratio = devicePixelRatio || 1;
    if (width === 0 || height === 0) return;
    const begin = performance.now();
    this.zoom = map.getZoom();
    this.centre = map.getCenter();
    DomUtil.setPosition(this.canvas, map.containerPointToLayerPoint([0, 0]));
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    const scale = 256 * 2 ** this.zoom,
      { x: left, y: top } = map.getPixelBounds().min;
    const first = Math.floor(left / scale),
      last = Math.floor((left + width) / scale);
    const copies = Array.from({ length: Math.min(5, last - first + 1) }, (_, i) => first + i);
    const view = { width, height, ratio, scale, left, top, copies, context: this.canvas.getContext("2d") };
    view.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    view.context.clearRect(0, 0, width, height);
    if (!this.hasTiles) drawLand(view, this.land, this.zoom);
    const grid = gridOf(map, view);
    drawGrid(view, grid, this.hasTiles);
    this.seen = visible(view, this.selection.x, this.worldYs);
    if (this.seen.isWhole) drawPoints(view, this);
    else drawDensity(view, this);
    drawDegrees(view, grid);
    this.drawMarks(view);
    this.drawn = performance.now();
    this.cost = this.drawn - begin;
  },
  drawMarks({ context, ...view }) {
    const accent = cssOf(cssColour("--mark"));
    context.strokeStyle = accent;
    const test = this.selection.filters.get("area")?.test,
      shape = this.drawing ?? (test && shapeOf(test));
    for (const copy of shape ? view.copies : []) {
      context.lineWidth = 2;
      context.setLineDash([6, 4]);
      context.beginPath();
      shape.forEach(([x, y], i) =>
        context[i === 0 ? "moveTo" : "lineTo"]((worldX(x) + copy) * view.scale - view.left, worldY(y) * view.scale - view.top),
      );
      if (!this.drawing?.isOpen) context.closePath();
      context.stroke();
      context.setLineDash([]);
    }
    for (const copy of this.marked === null ? [] : view.copies) {
      context.lineWidth = 3;
      context.beginPath();
      context.arc(
        (worldX(this.selection.x[this.marked]) + copy) * view.scale - view.left,
        this.worldYs[this.marked] * view.scale - view.top,
        10,
        0,
        7,
      );
      context.stroke();
    }
  },
  /** The selected sample under a pointer. */
  nearest(event) {
    const { x, y } = this._map.mouseEventToContainerPoint(event);
    if (!this.seen?.isWhole) return null;
    let found = null,
      least = NEAR * NEAR;
    for (let i = 0; i < this.seen.count; ++i) {
      const distance = (this.seen.xs[i] - x) ** 2 + (this.seen.ys[i] - y) ** 2;
      if (distance < least && this.selection.has(this.seen.rows[i])) [found, least] = [this.seen.rows[i], distance];
    }
    return found;
  },
});

/** Rows that are seen, and where; `isWhole` is false where there are more than can be drawn one by one. */
function visible({ width, height, scale, left, top, copies }, longitudes, worldYs) {
  const rows = new Uint32Array(MOST_POINTS),
    xs = new Float32Array(MOST_POINTS),
    ys = new Float32Array(MOST_POINTS),
    edge = 12;
  let count = 0;
  for (const copy of copies) {
    const shift = copy * scale - left;
    for (let row = 0; row < longitudes.length; ++row) {
      const px = worldX(longitudes[row]) * scale + shift,
        py = worldYs[row] * scale - top;
      if (!(px > -edge && px < width + edge && py > -edge && py < height + edge)) continue;
      if (count === MOST_POINTS) return { isWhole: false };
      rows[count] = row;
      xs[count] = px;
      ys[count++] = py;
    }
  }
  return { isWhole: true, count, rows, xs, ys };
}

function drawLand({ context, width, height, scale, left, top, copies }, land, zoom) {
  context.fillStyle = cssOf(cssColour(zoom > OUTLINE_ZOOM ? "--ground" : "--sea"));
  context.fillRect(0, 0, width, height);
  if (zoom > OUTLINE_ZOOM) return;
  context.fillStyle = cssOf(cssColour("--ground"));
  context.strokeStyle = cssOf(cssColour("--coast"));
  context.lineWidth = 0.8;
  for (const copy of copies) {
    context.beginPath();
    for (const ring of land) {
      for (let i = 0; i < ring.length; i += 2)
        context[i === 0 ? "moveTo" : "lineTo"]((ring[i] + copy) * scale - left, ring[i + 1] * scale - top);
      context.closePath();
    }
    context.fill("evenodd");
    context.stroke();
  }
}
const STEPS = [60, 30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
/** Meridians and parallels that are seen: { at, text }, in pixels. */
function gridOf(map, { width }) {
  const bounds = map.getBounds(),
    [west, east] = [bounds.getWest(), bounds.getEast()];
  const step = STEPS.find((each) => (east - west) / each >= Math.max(2.5, width / 240)) ?? STEPS.at(-1);
  const between = (from, to) =>
    Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, i) => (Math.ceil(from / step) + i) * step);
  const textOf = (degrees, [positive, negative]) => {
    const value = Number(degrees.toFixed(3));
    return `${Math.abs(value)}°${value === 0 ? "" : value > 0 ? positive : negative}`;
  };
  const meridians = between(west, east).map((lng) => ({ at: map.latLngToContainerPoint([0, lng]).x, text: textOf(wrapped(lng), "EW") }));
  const [south, north] = [Math.max(-80, bounds.getSouth()), Math.min(84, bounds.getNorth())];
  return {
    meridians,
    parallels: between(south, north).map((lat) => ({ at: map.latLngToContainerPoint([lat, 0]).y, text: textOf(lat, "NS") })),
  };
}
function drawGrid({ context, width, height }, { meridians, parallels }, hasTiles) {
  context.strokeStyle = cssOf(cssColour(hasTiles ? "--coast" : "--grid"));
  context.lineWidth = 1;
  context.beginPath();
  for (const { at } of meridians) {
    context.moveTo(at, 0);
    context.lineTo(at, height);
  }
  for (const { at } of parallels) {
    context.moveTo(0, at);
    context.lineTo(width, at);
  }
  context.stroke();
}
/** Degrees at the edges, over the samples. */
function drawDegrees({ context, width, height }, { meridians, parallels }) {
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = cssOf(cssColour("--dim"));
  context.strokeStyle = cssOf(cssColour("--ground"));
  context.lineWidth = 3;
  const write = (text, x, y) => {
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  };
  for (const { at, text } of meridians) write(text, at + 4, height - 6);
  context.textAlign = "right";
  for (const { at, text } of parallels) if (at > 50 && at < height - 60) write(text, width - 8, at - 4);
  context.textAlign = "left";
}

function drawPoints({ context, ratio, scale }, { seen, selection, paint, palette }) {
  const isMany = seen.count > 4000,
    radius = isMany ? 2.5 : 4.5,
    edge = cssOf(cssColour("--edge"));
  const sprites = new Map();
  const spriteOf = (colour) => {
    const key = String(colour);
    if (!sprites.has(key)) sprites.set(key, sprite(colour, radius, ratio, edge));
    return sprites.get(key);
  };
  const base = cssColour("--point"),
    pale = cssColour("--pale"),
    side = 2 * radius + 3;
  for (const isSelected of [false, true]) {
    for (let i = 0; i < seen.count; ++i) {
      const row = seen.rows[i];
      if (selection.has(row) !== isSelected) continue;
      const colour = isSelected ? (paint ? palette[paint[row]] : base) : pale;
      if (selection.boxes && isSelected) drawFootprint(context, selection.boxes, row, scale, seen.xs[i], seen.ys[i], colour);
      context.drawImage(spriteOf(colour), seen.xs[i] - side / 2, seen.ys[i] - side / 2, side, side);
    }
  }
}
function sprite(colour, radius, ratio, edge) {
  const side = 2 * radius + 3,
    canvas = el("canvas", { width: Math.ceil(side * ratio), height: Math.ceil(side * ratio) }),
    context = canvas.getContext("2d");
  context.scale(canvas.width / side, canvas.height / side);
  context.beginPath();
  context.arc(side / 2, side / 2, radius, 0, 7);
  context.fillStyle = cssOf(colour);
  context.fill();
  context.strokeStyle = edge;
  context.stroke();
  return canvas;
}
function drawFootprint(context, boxes, row, scale, x, y, colour) {
  const [west, south, east, north] = boxes.subarray(4 * row, 4 * row + 4);
  const width = (worldX(east) - worldX(west)) * scale,
    height = (worldY(south) - worldY(north)) * scale;
  if (!(width > 8) || !(height > 8)) return;
  context.strokeStyle = cssOf(colour);
  context.lineWidth = 1.5;
  context.strokeRect(x - width / 2, y - height / 2, width, height);
}

/** The number of samples in each cell, on a scale of logarithms; its colour is the mean of theirs. */
function drawDensity(
  { context, width, height, scale, left, top, copies },
  { worldYs, selection: { x: longitudes, fails }, paint, palette },
) {
  const columns = Math.ceil(width / CELL),
    lines = Math.ceil(height / CELL),
    size = columns * lines;
  const counts = new Uint32Array(size),
    others = new Uint8Array(size),
    sums = paint ? new Float32Array(3 * size) : null;
  const factor = scale / CELL,
    down = top / CELL,
    colours = Float32Array.from(palette.flat());
  for (const copy of copies) {
    const shift = copy * factor - left / CELL;
    for (let row = 0; row < longitudes.length; ++row) {
      const cx = worldX(longitudes[row]) * factor + shift,
        cy = worldYs[row] * factor - down;
      if (!(cx >= 0 && cy >= 0 && cx < columns && cy < lines)) continue;
      const at = (cy | 0) * columns + (cx | 0);
      if (fails[row] !== 0) {
        others[at] = 1;
        continue;
      }
      ++counts[at];
      if (sums === null) continue;
      const colour = 3 * paint[row],
        sum = 3 * at;
      sums[sum] += colours[colour];
      sums[sum + 1] += colours[colour + 1];
      sums[sum + 2] += colours[colour + 2];
    }
  }
  const most = Math.log1p(counts.reduce((a, b) => Math.max(a, b), 1)),
    base = cssColour("--point"),
    pale = cssColour("--pale");
  const image = new ImageData(columns, lines);
  for (let at = 0; at < size; ++at) {
    const count = counts[at];
    if (count === 0 && others[at] === 0) continue;
    const colour = count === 0 ? pale : base;
    for (let c = 0; c < 3; ++c) image.data[4 * at + c] = count > 0 && sums ? sums[3 * at + c] / count : colour[c];
    image.data[4 * at + 3] = count === 0 ? 110 : 90 + (165 * Math.log1p(count)) / most;
  }
  const small = el("canvas", { width: columns, height: lines });
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, columns * CELL, lines * CELL);
}

/** Rings from the text that build.mjs makes. */
function landRings() {
  return byId("land")
    .textContent.split(";")
    .map((ring) => {
      const steps = ring.split(",").map(Number),
        out = new Float64Array(steps.length);
      for (let i = 0, x = 0, y = 0; i < steps.length; i += 2) {
        x += steps[i];
        y += steps[i + 1];
        out[i] = worldX(x / 10);
        out[i + 1] = worldY(y / 10);
      }
      return out;
    });
}

/** Points of an area. A box whose west is beyond its east crosses the antimeridian. */
function shapeOf({ box, polygon }) {
  if (polygon) return polygon;
  const [west, south, east, north] = box,
    right = east < west ? east + 360 : east;
  return [
    [west, south],
    [right, south],
    [right, north],
    [west, north],
  ];
}
