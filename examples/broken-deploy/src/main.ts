/**
 * `npm run example broken-deploy`: a deploy breaks 300 of 1000 orders, which stay in a file for you to mend.
 *
 *   npm run example broken-deploy                breaks them, and says what to type next
 *   npm run example broken-deploy -- --mend      mends them too, by the engine's verbs
 *   npm run example broken-deploy -- --dir try   keeps them in another folder
 */
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isServed, openAnew } from "./open-anew.ts";
import { shop } from "./order.ts";
import { countOrders, deployBroken, investigate, mend, tryOut } from "./story.ts";
import { toNext, URL_OF_API } from "./what-next.ts";

const OWN_FOLDER = fileURLToPath(new URL("../run", import.meta.url));

const { values } = parseArgs({
  options: {
    mend: { type: "boolean", default: false },
    dir: { type: "string", default: OWN_FOLDER },
  },
});
const file = join(resolve(values.dir), "orders.db");
const tell = (line: string): void => console.log(line);

async function play(): Promise<void> {
  const store = openAnew(file);
  await deployBroken(store);
  if (values.mend) {
    await investigate(store, tell);
    await tryOut(store, tell);
    await mend(store, tell);
    const twice = [...shop.charged.values()].filter((count) => count > 1).length;
    tell(`${shop.charged.size} orders were charged, ${twice} of them twice`);
  } else {
    tell(`orders: ${await countOrders(store)}`);
    tell(toNext(relative(process.cwd(), file)));
  }
  await store.close();
}

if (values.dir === OWN_FOLDER && (await isServed(URL_OF_API))) {
  console.error(
    `The orders of an earlier start are served at ${URL_OF_API}: stop \`escapement dev\` there with Ctrl-C, then start again.`,
  );
  process.exitCode = 1;
} else await play();
