/** `npm run example fan-out`: a thousand pictures, twenty at once, of which three cannot be read. */
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { album, pictures } from "./resize.ts";

const engine = createEngine({
  workflows: { ALBUM: album },
  store: createMemoryStore(),
  logger: { log: () => undefined },
});
engine.startLoop();
const begin = performance.now();
const output = await engine.workflows.ALBUM.execute({ params: 1000, timeout: "2 minutes" });
console.log(output);
console.log(
  `1000 pictures, at most ${pictures.mostInWork} at once, in ${Math.round(performance.now() - begin)} ms`,
);
await engine.close();
