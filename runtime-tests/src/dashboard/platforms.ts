/** The dashboard as each platform serves it: in its own runtime where it has one, by its own events where it has those. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createNetlifyPlatform, handler as netlifyHandler } from "@escapement/netlify";
import { handler as nodeHandler } from "@escapement/node";
import { createVercelPlatform, handler as vercelHandler } from "@escapement/vercel";
import { toResponse, toUrlEvent } from "../lambda/events.ts";
import { bundleFunction, openSandbox } from "../lambda/sandbox.ts";
import { invokeDirectly } from "../netlify-edge.ts";
import { openDashboard } from "../programs/dashboard-scene.ts";
import { startProgram } from "../start-program.ts";
import { missingRuntime, missingWorkerd, type Runtime } from "../tools.ts";
import { missingLambdaClient } from "../vendor-aws.ts";
import { invoke, USUAL_MS } from "../vercel/contract-fixture.ts";
import { prepareWorker } from "../worker-app.ts";

/** A dashboard that is served. */
export interface Served {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** How a platform serves it. */
export interface DashboardPlatform {
  readonly name: string;
  /** Why it cannot be served here; null when it can. */
  readonly missing: string | null;
  /** Where it is mounted, as its guide says for the platform. */
  readonly path: string;
  readonly open: () => Promise<Served>;
}

/** Below which the functions of Vercel and Netlify get requests. */
const FUNCTION_PATH = "/api/workflows/dashboard";

export const DASHBOARD_PLATFORMS: readonly DashboardPlatform[] = [
  { name: "Node", missing: null, path: "/dashboard", open: openNode },
  inRuntime("Bun", "bun"),
  inRuntime("Deno", "deno"),
  { name: "Cloudflare", missing: missingWorkerd(), path: "/dashboard", open: openWorker },
  { name: "AWS Lambda", missing: missingLambdaClient(), path: "/dashboard", open: openLambda },
  { name: "Vercel", missing: null, path: FUNCTION_PATH, open: openVercel },
  { name: "Netlify", missing: null, path: FUNCTION_PATH, open: openNetlify },
];

function inRuntime(name: string, runtime: Runtime): DashboardPlatform {
  const open = async (): Promise<Served> => {
    const program = await startProgram({ runtime, program: `dashboard-${runtime}`, args: [] });
    return { origin: new URL(program.url).origin, stop: () => program.stop() };
  };
  return { name, missing: missingRuntime(runtime), path: "/dashboard", open };
}

async function openNode(): Promise<Served> {
  return serve(await openDashboard());
}

async function openWorker(): Promise<Served> {
  const folder = await prepareWorker("dashboard-worker");
  const app = await folder.start();
  const stop = async (): Promise<void> => {
    await app.stop();
    folder.remove();
  };
  return { origin: app.url, stop };
}

async function openLambda(): Promise<Served> {
  const { file, remove } = await bundleFunction("dashboard-lambda");
  const sandbox = await openSandbox({ file, env: {} });
  const front = await serve({
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method } = request;
      const headers = Object.fromEntries(request.headers);
      const body = method === "POST" ? new Uint8Array(await request.arrayBuffer()) : null;
      const event = toUrlEvent({ method, path: `${pathname}${search}`, headers, body });
      return toResponse(await sandbox.invoke(event));
    },
  });
  const stop = async (): Promise<void> => {
    await front.stop();
    await sandbox.stop();
    remove();
  };
  return { origin: front.origin, stop };
}

async function openVercel(): Promise<Served> {
  const platform = createVercelPlatform();
  const run = vercelHandler(await openDashboard(FUNCTION_PATH), { platform });
  return serve({ fetch: (request) => invoke(run, request, Date.now() + USUAL_MS) });
}

async function openNetlify(): Promise<Served> {
  const platform = createNetlifyPlatform({
    signingKeys: ["background-key-of-more-than-24-bytes"],
    siteUrl: "https://orders.test",
  });
  const run = netlifyHandler(await openDashboard(FUNCTION_PATH), { platform });
  return serve({ fetch: (request) => invokeDirectly(run, request) });
}

/** Browsers need a server; what it asks is the function's own handler. */
async function serve(engine: {
  readonly fetch: (request: Request) => Promise<Response>;
}): Promise<Served> {
  const server = createServer(nodeHandler(engine)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}
