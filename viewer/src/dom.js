// Elements of the page. What a dataset says enters the page as text only, never as markup.
import { explained } from "./text.js";

/** An element with properties, attributes, listeners (`on`) and children, which are elements or text. */
export function el(tag, { on = {}, class: className, text, data = {}, ...rest } = {}, ...children) {
  const out = document.createElement(tag);
  if (className) out.className = className;
  if (text !== undefined) out.textContent = text;
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined || value === null || value === false) continue;
    if (name in out && !["list", "form", "role"].includes(name)) out[name] = value;
    else out.setAttribute(name, value === true ? "" : value);
  }
  Object.assign(out.dataset, data);
  for (const [name, listener] of Object.entries(on)) out.addEventListener(name, listener);
  out.append(...present(children));
  return out;
}
const present = (children) => children.flat(3).filter((child) => child !== null && child !== undefined && child !== false);

export function svg(tag, attributes = {}, ...children) {
  const out = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) out.setAttribute(name, value);
  out.append(...children);
  return out;
}
export const replace = (parent, ...children) => parent.replaceChildren(...present(children));
export const byId = (id) => document.getElementById(id);

export const button = (text, click, rest = {}) => el("button", { type: "button", text, on: { click }, ...rest });

/** A choice of [value, text]; `change` gets the value. */
export function select(options, value, change, rest = {}) {
  const out = el(
    "select",
    { on: { change: () => change(out.value) }, ...rest },
    options.map(([key, text]) => el("option", { value: key, text })),
  );
  out.value = value;
  return out;
}

/** A label around its control. */
export const labelled = (text, control, className = "field") => el("label", { class: className }, el("span", { text }), control);

export function download(name, parts, type) {
  const url = URL.createObjectURL(new Blob([parts].flat(), { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A button that copies what a function returns, and says so. */
export function copyButton(textOf, label = "Copy", rest = {}) {
  const out = button(
    label,
    async () => {
      out.textContent = (await copied(textOf())) ? "Copied" : "Not allowed here";
      setTimeout(() => {
        out.textContent = label;
      }, 1500);
    },
    rest,
  );
  return out;
}
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text); // pages of http have no clipboard
  }
}
function copiedBySelection(text) {
  const area = el("textarea", { value: text, class: "unseen" });
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  return isDone;
}

/** Opens a dialog, which keeps the focus until it is closed. */
export function showDialog(title, ...children) {
  const heading = el("h2", { text: title, id: "dialog-title" });
  const dialog = el(
    "dialog",
    {
      "aria-labelledby": "dialog-title",
      on: {
        close: () => dialog.remove(),
        click: (event) => {
          if (event.target === dialog) dialog.close();
        },
      },
    },
    el(
      "div",
      { class: "dialog-head" },
      heading,
      button("Close", () => dialog.close()),
    ),
    el("div", { class: "dialog-body" }, children),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export const problem = (error) => el("p", { class: "problem", role: "alert", text: explained(error) });

/** Calls a function at most once for each picture of the screen. */
export function onceAFrame(body) {
  let frame = 0;
  return () => {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      body();
    });
  };
}

/** A colour of style.css as [red, green, blue]. */
export function cssColour(name) {
  const probe = byId("title");
  probe.style.color = `var(${name})`;
  const numbers = getComputedStyle(probe)
    .color.match(/[\d.]+/g)
    .map(Number);
  probe.style.color = "";
  return numbers.slice(0, 3);
}
