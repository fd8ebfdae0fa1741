/** Plays one refund against an example that runs, wherever it runs: what each example's test does. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface PlayRefundOptions {
  /** Where the example's API is, for instance `http://127.0.0.1:3000/api/workflows`. */
  readonly api: string;
  /** The service that the example was started with, as `PAYOUT_URL`. */
  readonly payout: PayoutService;
  /** For each request, for instance `authorization`. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Takes the place of `fetch` where the example has no address of its own. @default fetch */
  readonly call?: (request: Request) => Promise<Response>;
  /** Called before each look at the instance, where something outside must tick. @default nothing */
  readonly nudge?: () => Promise<unknown>;
  /** @default 60000 */
  readonly timeoutMs?: number;
}

export interface PlayedRefund {
  readonly status: string;
  readonly output: unknown;
  /** The idempotency key of each request that the payout service got; the first was answered with 503. */
  readonly payoutKeys: readonly string[];
}

/** Creates a refund, decides it once it waits, and gives what it came to. */
export async function playRefund(options: PlayRefundOptions): Promise<PlayedRefund> {
  const instances = `${options.api}/workflows/refund/instances`;
  const params = { orderId: "A-1", cents: 1999 };
  const { id } = await send<{ id: string }>(options, instances, { params });
  const url = `${instances}/${id}`;
  // An event may come before its wait; this play wants the wait to be seen.
  await watch(options, url, () => waitsForDecision(options, url));
  await send(options, `${url}/events`, { type: "decision", payload: { approved: true } });
  const last = await watch(options, url, async ({ status }) => TERMINAL.has(status));
  return { status: last.status, output: last.output, payoutKeys: options.payout.keys };
}

interface Details {
  readonly status: string;
  readonly output?: unknown;
}

const TERMINAL: ReadonlySet<string> = new Set(["complete", "errored", "terminated"]);

async function waitsForDecision(options: PlayRefundOptions, url: string): Promise<boolean> {
  const { steps } = await send<{ steps: readonly { name: string }[] }>(options, `${url}/history`);
  return steps.some(({ name }) => name === "decision");
}

async function watch(
  options: PlayRefundOptions,
  url: string,
  isThere: (details: Details) => Promise<boolean>,
): Promise<Details> {
  const giveUpAt = Date.now() + (options.timeoutMs ?? 60_000);
  for (;;) {
    await options.nudge?.();
    const { details } = await send<{ details: Details }>(options, url);
    if (await isThere(details)) return details;
    if (Date.now() > giveUpAt) throw new Error(`the refund is still ${JSON.stringify(details)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** With a body it is a POST. */
async function send<T>(options: PlayRefundOptions, url: string, body?: unknown): Promise<T> {
  const headers = { "content-type": "application/json", ...options.headers };
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await (options.call ?? fetch)(new Request(url, { ...init, headers }));
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export interface PayoutService {
  readonly url: string;
  readonly keys: readonly string[];
  close(): void;
}

/** Fails once, so that the step is retried. */
export async function startPayoutService(): Promise<PayoutService> {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    keys.push(String(request.headers["idempotency-key"]));
    response.statusCode = keys.length === 1 ? 503 : 200;
    response.end(keys.length === 1 ? "later" : "receipt-1");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/payouts`,
    keys,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
