/** `npm run example broken-deploy`: a deploy breaks 300 of 1000 orders, and an operator mends it. */
import { createMemoryStore } from "@escapement/engine/store/memory";
import { shop } from "./order.ts";
import { deployBroken, investigate, mend, tryOut } from "./story.ts";

const store = createMemoryStore();
const tell = (line: string): void => console.log(line);
await deployBroken(store);
await investigate(store, tell);
await tryOut(store, tell);
await mend(store, tell);
const twice = [...shop.charged.values()].filter((count) => count > 1).length;
console.log(`${shop.charged.size} orders were charged, ${twice} of them twice`);
