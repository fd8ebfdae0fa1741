/** An engine as a user's project exports it, on the SQLite file that a variable names. */
import { sqlite } from "@escapement/engine/sqlite";
import { createNodePlatform } from "@escapement/node";
import { createTestingEngine } from "./testing-workflows.ts";

export { HOSTILE, outages, TOKEN } from "./testing-workflows.ts";

export const platform = createNodePlatform({ pollMs: 60_000, graceMs: 1000 });

export const engine = createTestingEngine({
  store: sqlite(process.env["TESTING_DATABASE"], { synchronous: "NORMAL" }),
  platform,
});
