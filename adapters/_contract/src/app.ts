/**
 * @module The application that the contract drives. It runs inside the adapter, in the adapter's own runtime, so it uses only Web APIs
 * and nothing of vitest.
 */
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import type { Authorize } from "@escapement/engine/http";
import type { ContractFaults, DatabaseState } from "./faults.ts";

export {
  type ContractFaults,
  type ContractLogLine,
  createClock,
  createFaults,
  type DatabaseState,
} from "./faults.ts";

/** The secrets of the tick route; the second key is the previous one of a rotation. */
export const CONTRACT_TICK: {
  readonly bearerSecret: string;
  readonly signingKeys: readonly string[];
} = {
  bearerSecret: "contract-bearer-secret-0123456789",
  signingKeys: ["contract-current-key-0123456789", "contract-previous-key-0123456789"],
};

/** For each engine's `http`: everyone may pass except a caller who claims to be a stranger, who is told what the check saw. */
export const CONTRACT_ACCESS: { readonly authorizeRequest: Authorize } = {
  authorizeRequest: ({ request }) => {
    if (!request.headers.has("x-contract-stranger")) return;
    const seen = JSON.stringify({ url: request.url, isBodyRead: request.bodyUsed });
    return new Response(null, { status: 401, headers: { "x-contract-seen": seen } });
  },
};

/** The application itself answers below this path, see `withProbes`. */
export const PROBE_PATH = "/contract";

/** Idempotency keys of the step bodies that ran in this process, in order. */
const bodies: string[] = [];

/** Fails once, sleeps, waits for an event. */
const ORDER = defineWorkflow(
  { name: "contract-order", retries: { limit: 2, delay: 20, backoff: "constant" } },
  async (event, step) => {
    const charge = await step.do("charge", ({ attempt }) => {
      if (attempt === 1) throw new TypeError("the card reader is busy");
      return { attempt };
    });
    await step.sleep("settle", 50);
    const approval = await step.waitForEvent<{ by: string }>("approval", { type: "approval" });
    return { charge, approvedBy: approval.payload.by, params: event.payload };
  },
);

/** Three bodies in a row; each records that it ran. */
const STEPS = defineWorkflow({ name: "contract-steps" }, async (_event, step) => {
  for (const stepName of ["first", "second", "third"]) {
    await step.do(stepName, ({ idempotencyKey }) => {
      bodies.push(idempotencyKey);
      return stepName;
    });
  }
  return "done";
});

/** Sleeps for the `sleepMs` in its params. */
const SLEEPER = defineWorkflow({ name: "contract-sleeper" }, async (event, step) => {
  const { sleepMs } = event.payload as { readonly sleepMs: number };
  await step.sleep("nap", sleepMs);
  return "awake";
});

/** Its only step takes longer than any invocation lives, and may be tried twice. */
const ENDLESS = defineWorkflow({ name: "contract-endless" }, (_event, step) =>
  step.do("endless", { retries: { limit: 0, delay: 0 } }, ({ idempotencyKey, signal }) => {
    bodies.push(idempotencyKey);
    return new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new TypeError("cut off")));
    });
  }),
);

/** For `createEngine({ workflows: CONTRACT_WORKFLOWS })`. */
export const CONTRACT_WORKFLOWS: Readonly<
  Record<"ORDER" | "STEPS" | "SLEEPER" | "ENDLESS", WorkflowDefinition>
> = { ORDER, STEPS, SLEEPER, ENDLESS };

/**
 * The engine with a `fetch` that also answers the contract's own routes. Give this one to the adapter.
 *
 * @param faults those of the engine, for fixtures with the capability `faults`
 */
export function withProbes<
  TEngine extends { readonly fetch: (request: Request) => Promise<Response> },
>(engine: TEngine, faults?: ContractFaults): TEngine {
  return { ...engine, fetch: (request) => answerProbe(request, faults) ?? engine.fetch(request) };
}

function answerProbe(request: Request, faults?: ContractFaults): Promise<Response> | null {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === `${PROBE_PATH}/echo`) return echo(request);
  if (pathname === `${PROBE_PATH}/bodies`) return answerJson(bodies);
  if (pathname === `${PROBE_PATH}/log`) return answerJson(faults?.readLog() ?? []);
  if (pathname !== `${PROBE_PATH}/database`) return null;
  faults?.setDatabase(searchParams.get("state") as DatabaseState);
  return answerJson(faults !== undefined);
}

const answerJson = (value: unknown): Promise<Response> => Promise.resolve(Response.json(value));

/**
 * Returns the request's body as it came, the rest of the request in a header, and two cookies, so that neither header replaces the
 * other.
 */
async function echo(request: Request): Promise<Response> {
  const { search } = new URL(request.url);
  const seen = { method: request.method, search, header: request.headers.get("x-contract") };
  const response = new Response(await request.arrayBuffer(), { status: 201 });
  response.headers.set("content-type", "application/octet-stream");
  response.headers.set("x-contract-seen", JSON.stringify(seen));
  response.headers.append("set-cookie", "first=1; Path=/");
  response.headers.append("set-cookie", "second=2; Path=/");
  return response;
}
