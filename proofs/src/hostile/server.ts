/** The server under attack, in a process of its own: it says what the worst stall was, and how much memory it holds. */
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createNodePlatform, serve } from "@escapement/node";
import { openDatabase } from "../subjects/open-database.ts";

/** What the attacker may ask by a message; the answer is a `Measure`. */
export type Question = "reset" | "measure" | "collect";

export interface Measure {
  /** Longest time in which this process did nothing else, in milliseconds, by processor time: load of others is not its. */
  readonly stallMs: number;
  readonly rssBytes: number;
  /** Errors that the log was told of: none of these requests may cause one. */
  readonly errors: readonly string[];
}

const SAMPLE_MS = 2;
const [url = "", secret = ""] = process.argv.slice(2);
const errors: string[] = [];

/** Finds a fault in each member, as schema libraries do, and words for each. */
const numbers = {
  "~standard": {
    version: 1,
    vendor: "hostile",
    validate: (value: unknown) => {
      if (!Array.isArray(value)) return { value };
      const issues = value.flatMap((member, index) =>
        typeof member === "number"
          ? []
          : [{ path: [index], message: `no number: ${"x".repeat(100)}` }],
      );
      return issues.length === 0 ? { value } : { issues };
    },
  },
} as const;

const order = defineWorkflow({ name: "order", schema: numbers }, async (_event, step) => {
  const { payload } = await step.waitForEvent("approval", { type: "approval", timeout: "1 hour" });
  return { approved: payload ?? null };
});

const database = await openDatabase(url, { maxConnections: 4 });
await migrate(database);
const platform = createNodePlatform();
const engine = createEngine({
  workflows: { ORDER: order },
  store: createSqlStore({ database }),
  platform,
  bulk: true,
  http: { open: true, tick: { bearerSecret: secret } },
  logger: {
    log: (level, event, fields) => {
      if (level === "error") errors.push(`${event} ${JSON.stringify(fields).slice(0, 500)}`);
    },
  },
});
const server = await serve({ engine, port: 0 });
platform.start({ server });

let stallMs = 0;
let last = { at: performance.now(), busyMs: busyMs() };
setInterval(() => {
  const now = { at: performance.now(), busyMs: busyMs() };
  // Waiting for a processor is not stalling; and threads beside this one work no longer than time passes.
  stallMs = Math.max(stallMs, Math.min(now.at - last.at, now.busyMs - last.busyMs));
  last = now;
}, SAMPLE_MS);

function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

process.on("message", (question: Question) => {
  if (question === "reset") stallMs = 0;
  if (question === "collect") globalThis.gc?.();
  const answer: Measure = { stallMs, rssBytes: process.memoryUsage.rss(), errors };
  process.send?.(answer);
});
process.on("disconnect", () => process.exit(0));
process.send?.({ port: server.port });
