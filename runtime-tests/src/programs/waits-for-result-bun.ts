/** Runs in Bun: a program that waits for a result until a signal stops it. */
import { createBunPlatform } from "@escapement/bun";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { order, waitForResult } from "./waits-for-result-scene.ts";

const store = createMemoryStore();
const platform = createBunPlatform({ handleSignals: true });
const engine = createEngine({ workflows: { order }, store, platform });
const { stop } = engine.platform.start();
const wants = process.env["WANTS"];
await waitForResult({ engine, stop, wants, process, exit: () => process.exit(7) });
