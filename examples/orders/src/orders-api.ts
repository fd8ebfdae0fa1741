/** The worker's HTTP API, as a shop's web server would use it: a worker that is down is asked again until it is up. */
import { setTimeout as wait } from "node:timers/promises";
import { DemoError } from "./demo-error.ts";
import type { Order } from "./order.ts";
import type { Approval } from "./workflow.ts";

export interface OrdersApi {
  /** Starts an instance per order; those that exist already are left alone. */
  createAll(orders: readonly Order[]): Promise<void>;
  /** Whether the instance waits for an approval now, has it already, or has not come so far. */
  approvalState(order: Order): Promise<"waiting" | "over" | "notYet">;
  approve(order: Order, approval: Approval): Promise<void>;
}

export interface OrdersApiOptions {
  /** Where the present worker listens; null while there is none. */
  readonly workerUrl: () => string | null;
  /** The worker lets in who brings it. */
  readonly apiToken: string;
  readonly toInstanceId: (order: Order) => string;
  /** Ends what is still being tried. */
  readonly signal: AbortSignal;
}

/** The part of the history that we look at. */
interface HistoryAnswer {
  readonly steps: readonly { readonly name: string; readonly status: string }[];
}

const BATCH_SIZE = 100;
const RETRY_MS = 200;
/** A worker that was killed with our request in hand never answers. */
const REQUEST_TIMEOUT_MS = 5000;

export function createOrdersApi(options: OrdersApiOptions): OrdersApi {
  const pathOf = (order: Order): string => `/${options.toInstanceId(order)}`;
  return {
    createAll: async (orders) => {
      for (let start = 0; start < orders.length; start += BATCH_SIZE) {
        const batch = orders.slice(start, start + BATCH_SIZE);
        const instances = batch.map((order) => ({
          id: options.toInstanceId(order),
          params: order,
        }));
        await call(options, "/batch", { instances });
      }
    },
    approvalState: async (order) => {
      const { steps } = (await call(options, `${pathOf(order)}/history`)) as HistoryAnswer;
      const step = steps.find(({ name }) => name === "approval");
      if (step === undefined) return "notYet";
      return step.status === "waiting" ? "waiting" : "over";
    },
    approve: async (order, approval) => {
      await call(options, `${pathOf(order)}/events`, { type: "approval", payload: approval });
    },
  };
}

async function call(options: OrdersApiOptions, path: string, body?: unknown): Promise<unknown> {
  for (;;) {
    const response = await tryCall(options, path, body);
    if (response !== null) return response;
    await wait(RETRY_MS, undefined, { signal: options.signal });
  }
}

/** null: no worker, or one that died or has trouble; asking again is safe, since ids and waits deduplicate. */
async function tryCall(
  { workerUrl, apiToken, signal }: OrdersApiOptions,
  path: string,
  body: unknown,
): Promise<unknown> {
  const url = workerUrl();
  if (url === null) return null;
  const headers = { authorization: `Bearer ${apiToken}` };
  const request: RequestInit = {
    headers,
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
  };
  if (body !== undefined) {
    request.method = "POST";
    request.headers = { ...headers, "content-type": "application/json" };
    request.body = JSON.stringify(body);
  }
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${url}/api/workflows/workflows/order/instances${path}`, request);
    text = await response.text();
  } catch {
    signal.throwIfAborted();
    return null;
  }
  if (response.ok) return JSON.parse(text);
  if (response.status >= 500) return null;
  throw new DemoError(`the worker answered ${response.status} to ${path}: ${text}`);
}
