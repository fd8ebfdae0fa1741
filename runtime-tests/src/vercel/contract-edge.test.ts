/** The adapter contract in Vercel's Edge runtime, where a request's own invocation does what it made due. */
import { AsyncLocalStorage } from "node:async_hooks";
import { fileURLToPath } from "node:url";
import {
  type AdapterFixture,
  describeAdapterContract,
  type FixtureOptions,
} from "@escapement/adapter-contract";
import { CONTRACT_TICK } from "@escapement/adapter-contract/app";
import { findFreePort } from "@escapement-internal/test-servers";
import { build } from "esbuild";
import { missingVercel, serveEdge } from "../vendor-vercel.ts";

const TICK = "/api/workflows/_runner/tick";
/** What an Edge function has until its answer must begin: vercel.com/docs/functions/limitations, read 2026-11-21. */
const EDGE_MS = 25_000;

describeAdapterContract({
  name: "Vercel, Edge runtime",
  skip: missingVercel(),
  capabilities: {
    invocations: "nobody is asked: a request's own invocation does the work",
    deadlines: "tested on Node",
    exactWakes: "tested on Node",
    faults: true,
    clockSkew: true,
    unknownEvents: "the wake function is on Node",
  },
  open: openFixture,
});

let bundled: Promise<string> | null = null;

async function bundleApp(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("edge-app.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    platform: "neutral",
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

async function openFixture(options: FixtureOptions): Promise<AdapterFixture> {
  const globals = { CONTRACT_OPTIONS: options, AsyncLocalStorage };
  const server = await serveEdge(await (bundled ??= bundleApp()), globals, await findFreePort());
  // With too little time left a request's work would be handed over, and there is nobody to hand it to.
  const requestMs = options.losesWakes ? 1000 : EDGE_MS;
  const send = (path: string, init: RequestInit, remainingMs: number): Promise<Response> => {
    const request = new Request(new URL(path, server.url), init);
    request.headers.set("x-test-remaining-ms", String(remainingMs));
    return fetch(request);
  };
  return {
    call: ({ method, path, headers, body }) => send(path, { method, headers, body }, requestMs),
    safetyTick: async () => {
      const headers = { authorization: `Bearer ${CONTRACT_TICK.bearerSecret}` };
      await (await send(TICK, { headers }, EDGE_MS)).text();
    },
    teardown: () => server.close(),
  };
}
