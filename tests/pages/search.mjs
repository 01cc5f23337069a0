// Proves that the search of a catalogue finds what a plain loop over `taco info --json` finds.
import {pathToFileURL} from "node:url";

// The longitudes of a box, which may cross the antimeridian, as whole degrees of a circle.
function degreesOf([west, , east]) {
  const out = new Set();
  for (let at = Math.floor(west); at <= Math.ceil(east < west ? east + 360 : east); ++at) out.add((at + 720) % 360);
  return out;
}

function meets(box, other) {
  if (!box || box[1] > other[3] || other[1] > box[3]) return false;
  const mine = degreesOf(box);
  return [...degreesOf(other)].some(at => mine.has(at));
}

const spans = (time, start, end) => time && (!start || (time[1] ?? "9999") >= start) && (!end || (time[0] ?? "0000") <= end + "T99");

// A fragment of the URL, and which datasets of the listing it shows.
const SEARCHES = {
  "": () => true,
  "q=OLINDA elevation": each => each.title.includes("Olinda") && each.title.includes("elevation"),
  "q=nothing has these words": () => false,
  "task=semantic-segmentation": each => each.tasks.includes("semantic-segmentation"),
  "licence=CC-BY-4.0": each => each.licenses.some(name => name.toUpperCase() === "CC-BY-4.0"),
  "from=2023-03-04": each => spans(each.extent.temporal, "2023-03-04", null),
  "to=2000": each => spans(each.extent.temporal, null, "2000-12-31"),
  "from=2000&to=2000": each => spans(each.extent.temporal, "2000-01-01", "2000-12-31"),
  "bbox=-35,-9,-34,-7": each => meets(each.extent.spatial, [-35, -9, -34, -7]),
  "bbox=175,-30,-175,0": each => meets(each.extent.spatial, [175, -30, -175, 0]),
  "bbox=-178,-15,-175,-12": each => meets(each.extent.spatial, [-178, -15, -175, -12]),
  "q=landsat&task=other&from=1999&bbox=-40,-20,-30,0": each => each.id === "landsat",
  "bbox=1,2,3": () => true,
  "bbox=5,50,10,40": () => true,
};

// The ids that the page shows, and the number that it says.
const shown = tab => tab.evaluate(() => ({
  ids: [...document.querySelectorAll("#datasets>li")].filter(one => !one.hidden).map(one => one.querySelector("code").textContent),
  areas: [...document.querySelectorAll("svg .area")].filter(one => one.getAttribute("visibility") !== "hidden").length,
  count: document.getElementById("count").textContent, address: location.hash}));

export async function searches(browser, file, listing) {
  const faults = [], page = pathToFileURL(file).href, tab = await browser.newPage();
  await tab.setViewport({width: 1280, height: 1000});
  const expect = async (what, wanted) => {
    const found = await shown(tab), ids = wanted.map(each => each.id);
    const count = ids.length === listing.length ? `${listing.length} datasets` : `${ids.length} of ${listing.length} datasets`;
    if (found.ids.join() !== ids.join()) faults.push(`${what} shows ${found.ids}, not ${ids}`);
    if (!found.count.startsWith(count)) faults.push(`${what} says '${found.count}', not '${count}'`);
    const areas = wanted.filter(each => each.extent.spatial).length;
    if (found.areas !== areas) faults.push(`${what} shows ${found.areas} places, not ${areas}`);
    return found;
  };
  const numbers = new Set();
  for (const [fragment, fits] of Object.entries(SEARCHES)) {
    await tab.goto("about:blank");
    await tab.goto(page + "#" + fragment.replaceAll(" ", "+"));
    const wanted = listing.filter(fits);
    numbers.add(wanted.length);
    await expect(`#${fragment}`, wanted);
  }
  if (numbers.size < 5) faults.push("the searches hardly differ in what they find");

  // Typed, drawn and cleared.
  await tab.goto("about:blank");
  await tab.goto(page);
  await tab.type("#q", "elevation");
  const typed = await expect("words that are typed", listing.filter(each => each.title.includes("elevation")));
  if (typed.address !== "#q=elevation") faults.push(`the address is ${typed.address}`);
  await tab.click("#clear");
  await tab.waitForFunction(() => location.hash === "");
  await expect("the button that shows all", listing);
  const map = await (await tab.$("#map")).boundingBox();
  const at = (lon, lat) => [map.x + (lon + 180) / 360 * map.width, map.y + (90 - lat) / 180 * map.height];
  await tab.mouse.move(...at(-60, 10));
  await tab.mouse.down();
  await tab.mouse.move(...at(-20, -30), {steps: 4});
  await tab.mouse.up();
  const drawn = await shown(tab), box = drawn.address.replace("#bbox=", "").split(",").map(Number);
  if (box.length !== 4 || Math.abs(box[0] + 60) > 2 || Math.abs(box[3] - 10) > 2) faults.push(`drew ${drawn.address}`);
  await expect(`the drawn box ${box}`, listing.filter(each => meets(each.extent.spatial, box)));
  await tab.goto("about:blank");
  await tab.goto(page + "#q=elevation");
  await tab.evaluate(() => { location.hash = "#datasets"; });  // the link for readers of the screen
  await expect("the link to the list", listing.filter(each => each.title.includes("elevation")));
  await tab.close();

  // Without scripts all is listed, and no search that would do nothing.
  const plain = await browser.newPage();
  await plain.setJavaScriptEnabled(false);
  await plain.goto(page);
  const visible = await plain.$$eval("#datasets>li", all => all.filter(one => one.getBoundingClientRect().height > 0).length);
  if (visible !== listing.length) faults.push(`shows ${visible} datasets without scripts`);
  if (await plain.$eval("#search", one => one.getBoundingClientRect().height) > 0) faults.push("has a search without scripts");
  const links = await plain.$$eval("#datasets h2 a", all => all.map(one => one.href));
  for (const link of links) {
    await plain.goto(link);
    const back = await plain.$$eval("a", all => all.map(one => one.href));
    if (!back.includes(page)) faults.push(`${link} has no link back`);
  }
  await plain.close();
  return faults;
}
