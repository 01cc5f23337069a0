// What the tests of the page share: headless Chromium, pages that are watched, and ways to use their panels.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** Ends the process with 77 where something is missing that the tests need. */
export function skipAll(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}
/** What a test throws where something is missing that only it needs. */
export class Skipped extends Error {}

/** Chromium, by playwright-core of a node_modules folder. */
export async function launched(modules) {
  const executablePath =
    process.env.CHROMIUM ?? ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find(existsSync);
  if (!executablePath) skipAll("Chromium is not installed");
  const { chromium } = createRequire(join(modules, "/"))(join(modules, "playwright-core"));
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Writes the page as free.html, which opens what its address names, and as NAME.html for each dataset, as one beside it. */
export function writePages(pageFile, folder, datasets = {}) {
  const html = readFileSync(pageFile, "utf8"),
    config = (text) => `<script type="application/json" id="config">${text}</script>`;
  assert.ok(html.includes(config("{}")) && html.includes("connect-src *;"));
  writeFileSync(join(folder, "free.html"), html);
  for (const [name, file] of Object.entries(datasets))
    writeFileSync(
      join(folder, `${name}.html`),
      html.replace(config("{}"), config(JSON.stringify({ dataset: file }))).replace("connect-src *;", "connect-src 'self';"),
    );
}

/** What opens pages of the server `own`, and adds to `problems` every error, and every request that begins with none of `allowed`. */
export function opener(browser, own, allowed, problems) {
  return async (path, { width = 1280, height = 860, theme = "light", ready = "#panels:not([hidden])", expected = [] } = {}) => {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true });
    const page = await context.newPage();
    // Answers such as 404 and pages of other sites that are refused are told by the browser itself.
    const usual = [/Failed to load resource|CORS policy/, ...expected];
    page.on("console", (message) => {
      const text = message.text();
      if (["error", "warning"].includes(message.type()) && !usual.some((pattern) => pattern.test(text))) problems.push(`${path}: ${text}`);
    });
    page.on("pageerror", (error) => problems.push(`${path}: ${error.stack}`));
    page.on("request", (request) => {
      if (![...allowed, "blob:", "data:"].some((start) => request.url().startsWith(start))) problems.push(`${path} asks ${request.url()}`);
    });
    await page.goto(path.startsWith("file:") ? path : own.url + path);
    await page.waitForSelector(ready);
    return page;
  };
}

export const countOf = (page) => page.textContent("#count");
export const waitForCount = (page, count) =>
  page
    .waitForFunction((text) => document.getElementById("count").textContent === text, count, { timeout: 5000 })
    .catch(async () => assert.fail(`${await countOf(page)} instead of ${count}`));
export const stateOf = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
export const filtersOf = async (page) => JSON.parse((await stateOf(page)).filters ?? "{}");
export async function openFilter(page, name) {
  const found = page.locator(".filter", { has: page.locator(`.filter-name:text-is("${name}")`) });
  if (!(await found.evaluate((element) => element.open))) await found.locator("summary").click();
  await found.locator(".filter-body > :not(.dim)").first().waitFor();
  return found;
}
/** The text of a file that the dialog Export saves by the button of this name. */
export async function exported(page, name) {
  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("dialog").getByRole("button", { name }).click()]);
  await page.keyboard.press("Escape");
  return readFileSync(await download.path(), "utf8");
}
/** The code that the dialog Code shows for a language. */
export async function codeOf(page, language) {
  await page.getByRole("button", { name: "Code" }).click();
  await page.locator("dialog select").selectOption(language);
  const text = await page.locator("dialog pre").textContent();
  await page.keyboard.press("Escape");
  return text;
}

/** Runs tests by name, in order, and prints how each ended. Each gets the page that the one before left open. Returns how many were
 * skipped. */
export async function runTests(tests, problems) {
  let page,
    numSkipped = 0;
  for (const [name, body] of Object.entries(tests)) {
    try {
      page = (await body(page)) ?? page;
      console.log(`ok   ${name}`);
    } catch (error) {
      if (error instanceof Skipped) {
        console.log(`skipped: ${name}: ${error.message}`);
        ++numSkipped;
        continue;
      }
      problems.push(`${name}: ${error.stack}`);
      console.log(`FAIL ${name}`);
    }
  }
  return numSkipped;
}
