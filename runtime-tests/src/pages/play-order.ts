/** One order through the API of a page's application, which is killed while it ships. */
import { expect } from "vitest";
import type { Shop } from "./shop.ts";

/** The application as it runs now. */
export interface RunningApp {
  /** Where its API is, with its mount route. */
  readonly api: string;
  /** Takes the place of `fetch` where it has no address. @default fetch */
  readonly call?: (request: Request) => Promise<Response>;
  /** Does what the platform's clock would, where the vendor's emulator has none. @default nothing */
  readonly nudge?: () => Promise<unknown>;
  /** SIGKILL, for it and all that it has started. */
  kill(): Promise<void>;
}

export interface OrderPlay {
  readonly shop: Shop;
  readonly token: string;
  readonly start: () => Promise<RunningApp>;
}

const PATIENCE = { interval: 100, timeout: 60_000 };
const EVENT = { type: "paid", payload: { receipt: "r-1" } };
const ORDER = { id: "o-1", params: { item: "A-1" } };

/** Create, sleep, event, kill, finish; nobody without the token gets anything done. */
export async function playOrder({ shop, token, start }: OrderPlay): Promise<void> {
  const first = await start();
  try {
    await expectClosed(first);
    await send(first, token, "/workflows/order/instances", ORDER);
    await expect.poll(() => readSteps(first, token), PATIENCE).toContain("payment:waiting");
    shop.hold("ship");
    await send(first, token, "/workflows/order/instances/o-1/events", EVENT);
    await expect.poll(() => nudged(first, shop.keys("ship").length), PATIENCE).toBe(1);
  } finally {
    await first.kill();
  }
  shop.release();
  const second = await start();
  try {
    await expect
      .poll(() => readDetails(second, token), PATIENCE)
      .toEqual({
        status: "complete",
        output: { state: "shipped", reservation: "reserve-A-1", parcel: "ship-A-1" },
      });
  } finally {
    await second.kill();
  }
  // What had completed did not run again; what was cut off ran under the same key.
  expect([shop.keys("reserve").length, shop.answers("reserve"), shop.answers("ship")]).toEqual([
    1, 1, 1,
  ]);
  expect(shop.keys("ship").length).toBe(2);
  expect(new Set(shop.keys("ship")).size).toBe(1);
}

async function expectClosed(app: RunningApp): Promise<void> {
  const instances = "/workflows/order/instances";
  const wrong = "another-token-of-the-same-kind";
  const asked: readonly (readonly [token: string | null, path: string, body?: object])[] = [
    [null, "/workflows"],
    [null, instances, ORDER],
    [wrong, instances, ORDER],
    [wrong, `${instances}/o-1/events`, EVENT],
    [null, "/_runner/tick", {}],
  ];
  const statuses: number[] = [];
  // One at a time: what Netlify's emulator builds for a call it removes when that call ends, also from under others.
  for (const call of asked) statuses.push((await ask(app, ...call)).status);
  // Without a tick secret the tick route is not there.
  if (statuses[4] === 404) statuses[4] = 401;
  expect(statuses).toEqual([401, 401, 401, 401, 401]);
}

function ask(app: RunningApp, token: string | null, path: string, body?: object) {
  const headers = {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    "content-type": "application/json",
  };
  const signal = AbortSignal.timeout(60_000);
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (app.call ?? fetch)(new Request(`${app.api}${path}`, { ...init, headers, signal }));
}

async function send<T>(app: RunningApp, token: string, path: string, body?: object): Promise<T> {
  const response = await ask(app, token, path, body);
  if (!response.ok) throw new TypeError(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const nudged = async <T>(app: RunningApp, value: T): Promise<T> => {
  await app.nudge?.();
  return value;
};

async function readSteps(app: RunningApp, token: string): Promise<readonly string[]> {
  await app.nudge?.();
  const path = "/workflows/order/instances/o-1/history";
  type History = { readonly steps: readonly { readonly name: string; readonly status: string }[] };
  const { steps } = await send<History>(app, token, path);
  return steps.map(({ name, status }) => `${name}:${status}`);
}

async function readDetails(app: RunningApp, token: string): Promise<object> {
  await app.nudge?.();
  type Instance = { readonly details: { readonly status: string; readonly output?: unknown } };
  const { details } = await send<Instance>(app, token, "/workflows/order/instances/o-1");
  return { status: details.status, output: details.output };
}
