/** Runs in Deno: a program that waits for a result until a signal stops it. */
import { createDenoPlatform } from "@escapement/deno";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { order, waitForResult } from "./waits-for-result-scene.ts";

const store = createMemoryStore();
const engine = createEngine({ workflows: { order }, store, platform: createDenoPlatform() });
const { stop } = engine.platform.start({ handleSignals: true });
const wants = process.env["WANTS"];
await waitForResult({ engine, stop, wants, process, exit: () => process.exit(7) });
