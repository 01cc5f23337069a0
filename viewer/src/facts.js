// The facts of COLLECTION.json as text, and its names of bands and classes. Its members may have any type.
import { el } from "./dom.js";
import { countText, plural, valueText } from "./text.js";

const list = (value) => (Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]);
const textOf = (value) => (value !== null && typeof value === "object" ? valueText(value) : String(value));

export const titleOf = ({ collection, id, name }) => textOf(collection.title ?? id ?? name);

/** The most important facts, in one line. */
export function summaryOf({ collection, format }) {
  return [list(collection.licenses).map(textOf).join(", "), list(collection.tasks).map(textOf).join(", "), timeOf(collection), format]
    .filter(Boolean)
    .join(" · ");
}
function timeOf({ extent }) {
  const ends = list(extent?.temporal)
    .slice(0, 2)
    .map((each) => textOf(each).slice(0, 10));
  return ends.length === 2 && ends[0] === ends[1] ? ends[0] : ends.join(" to ");
}

/** All facts that are known. */
export function factsOf({ collection, id, name, format, numRows, columns }, { total }) {
  const padding = numRows - total,
    box = list(collection.extent?.spatial);
  const facts = [
    ["Id", id],
    ["Version", collection.dataset_version],
    ["Samples", padding > 0 ? `${countText(total)}, and ${countText(padding)} rows of padding` : countText(total)],
    ["Licences", list(collection.licenses).map(textOf).join(", ")],
    ["Tasks", list(collection.tasks).map(textOf).join(", ")],
    ["Keywords", list(collection.keywords).map(textOf).join(", ")],
    ["Time", timeOf(collection)],
    [
      "Extent",
      box.length === 4 && box.every(Number.isFinite)
        ? `west ${degrees(box[0])}, south ${degrees(box[1])}, east ${degrees(box[2])}, north ${degrees(box[3])}`
        : "",
    ],
    ["Providers", list(collection.providers).map(person)],
    ["Curators", list(collection.curators).map(person)],
    ["Citation", collection.citation && textOf(collection.citation)],
    ["Publications", list(collection.publications).map(publication)],
    ["File", `${name} (${format})`],
    ["Columns", plural(columns.length, "column")],
  ].filter(([, value]) => (Array.isArray(value) ? value.length > 0 : Boolean(value)));
  return [
    collection.description && el("p", { class: "lead", text: textOf(collection.description) }),
    el(
      "dl",
      { class: "facts" },
      facts
        .map(([key, value]) => [
          el("dt", { text: key }),
          el("dd", {}, Array.isArray(value) ? value.map((each) => el("div", {}, each)) : value),
        ])
        .flat(),
    ),
    el(
      "details",
      {},
      el("summary", { text: "Columns" }),
      el(
        "dl",
        { class: "facts" },
        columns
          .map(({ name: column, type, description }) => [
            el("dt", { text: column }),
            el("dd", { text: [type, description].filter(Boolean).join(": ") }),
          ])
          .flat(),
      ),
    ),
    el(
      "details",
      {},
      el("summary", { text: "COLLECTION.json" }),
      el("pre", { class: "text", tabIndex: 0, "aria-label": "COLLECTION.json", text: JSON.stringify(collection, null, 2) }),
    ),
  ];
}
const degrees = (value) => `${Number(value.toFixed(4))}°`;

/** An organisation or a person, with a link where it has an address. */
function person(value) {
  if (value === null || typeof value !== "object") return textOf(value);
  const { name, organization, roles, role, url, links } = value,
    about = [organization, ...list(roles ?? role)].filter(Boolean).map(textOf).join(", ");
  const address = [url, ...list(links).map((each) => each?.href ?? each)].find(isAddress);
  return el("span", {}, link(textOf(name ?? "unnamed"), address), about && ` (${about})`);
}
function publication(value) {
  if (value === null || typeof value !== "object") return textOf(value);
  const doi = typeof value.doi === "string" ? value.doi.replace(/^https?:\/\/(dx\.)?doi\.org\//, "") : null;
  return el("span", {}, textOf(value.citation ?? value.summary ?? value.title ?? ""), " ", doi && link(doi, `https://doi.org/${doi}`));
}
const isAddress = (text) => typeof text === "string" && /^https?:\/\//i.test(text);
const link = (text, address) =>
  isAddress(address) ? el("a", { href: address, text, target: "_blank", rel: "noopener noreferrer" }) : el("span", { text });

/** { bands, colours, classes }: names of bands, the numbers of red, green and blue or null, and names of classes by value. */
export function namesOf(collection) {
  const bands = list(collection["optical:bands"]).filter((band) => band !== null && typeof band === "object"),
    classes = new Map();
  const colours = ["red", "green", "blue"].map((name) => 1 + bands.findIndex((band) => String(band.common_name).toLowerCase() === name));
  for (const each of list(collection["labels:classes"]))
    if (each?.category !== undefined) classes.set(Number(each.category), textOf(each.name));
  return {
    bands: bands.map((band, i) => [band.name ?? `Band ${i + 1}`, band.common_name].filter(Boolean).map(textOf).join(" ")),
    colours: colours.every((number) => number > 0) ? colours : null,
    classes,
  };
}
