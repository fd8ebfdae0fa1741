/** The contract's application as an Edge function: bundled and run in Vercel's Edge runtime by `contract-edge.test.ts`. */
import type { FixtureOptions } from "@escapement/adapter-contract";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createClock,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createVercelPlatform, handler } from "@escapement/vercel";

interface FetchEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
  waitUntil(work: Promise<unknown>): void;
}
interface ContextStore {
  run<T>(context: object, call: () => T): T;
  getStore(): object | undefined;
}
declare const CONTRACT_OPTIONS: FixtureOptions;
/** A global of Vercel's Edge functions: vercel.com/docs/functions/runtimes/edge, read 2026-11-21. */
declare const AsyncLocalStorage: new () => ContextStore;
declare function addEventListener(type: "fetch", listen: (event: FetchEvent) => void): void;

const { clockOffMs, database, hasTickSecrets } = CONTRACT_OPTIONS;
const faults = createFaults(database);
const now = createClock(clockOffMs);
const platform = createVercelPlatform({ now, logger: faults.logger });
const engine = withProbes(
  createEngine({
    workflows: CONTRACT_WORKFLOWS,
    store: faults.wrapStore(createMemoryStore()),
    platform,
    logger: faults.logger,
    host: { now },
    http: { ...CONTRACT_ACCESS, now },
  }),
  faults,
);
const tick = hasTickSecrets ? CONTRACT_TICK : {};
const take = handler(engine, { platform, tick });

// As Vercel gives it to Edge functions as to others: `vercel dev` 60.1.3.
const contexts = new AsyncLocalStorage();
Object.assign(globalThis, {
  [Symbol.for("@vercel/request-context")]: { get: () => contexts.getStore() },
});
addEventListener("fetch", (event) => {
  const { request } = event;
  const remainingMs = Number(request.headers.get("x-test-remaining-ms"));
  const waitUntil = (work: Promise<unknown>): void => event.waitUntil(work);
  const context = { waitUntil, deadline: now() + remainingMs };
  event.respondWith(contexts.run(context, () => take(request)));
});
