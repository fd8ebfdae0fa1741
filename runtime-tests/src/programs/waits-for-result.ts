/** The README's first program, with an instance that waits for what nobody sends. */
import { createEngine, createNodePlatform } from "@escapement/node";
import { sqlite } from "@escapement/node/sqlite";
import { order, waitForResult } from "./waits-for-result-scene.ts";

const engine = createEngine({
  workflows: { order },
  store: sqlite(process.env["FILE"] ?? ""),
  platform: createNodePlatform({ handleSignals: true }),
  http: { open: true },
});
const { stop } = await engine.platform.serve({ port: 0 });
const wants = process.env["WANTS"];
await waitForResult({ engine, stop, wants, process, exit: () => process.exit(7) });
