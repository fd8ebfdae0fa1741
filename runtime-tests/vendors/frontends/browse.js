/**
 * Shows a page in a DOM, uses it, and prints what it showed: `browse.js <bundled page> <origin>`.
 *
 * One line of JSON each time that the page has become what was waited for; it ends with an error when it does not.
 */
import { pathToFileURL } from "node:url";
import { Window } from "happy-dom";

const [, , bundle = "", origin = ""] = process.argv;
const PATIENCE_MS = 15_000;

const window = new Window({ url: `${origin}/` });
// What Node has already, fetch above all, stays Node's.
for (const name of Object.getOwnPropertyNames(window))
  if (!(name in globalThis) && !name.startsWith("_")) globalThis[name] = window[name];
Object.assign(globalThis, {
  window,
  document: window.document,
  addEventListener: window.addEventListener.bind(window),
  Event: window.Event,
});

const root = window.document.createElement("div");
window.document.body.append(root);
const { mount } = await import(pathToFileURL(bundle).href);
mount(root, origin);

const textOf = (selector) => root.querySelector(selector)?.textContent ?? "";
const look = () => ({
  list: [...root.querySelectorAll("li")].map((item) => item.textContent),
  status: textOf("output"),
  refusal: textOf("em"),
});

async function until(isThere) {
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  while (!isThere(look())) {
    if (performance.now() > giveUpAtMs)
      throw new RangeError(`still ${JSON.stringify(look())}: ${root.innerHTML}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  console.log(JSON.stringify(look()));
}

const create = () => root.querySelector("button").click();

await until(({ list, status }) => list.length === 1 && status !== "");
create();
await until(({ list }) => list.length === 2);
create();
await until(({ refusal }) => refusal !== "");
process.exit(0);
