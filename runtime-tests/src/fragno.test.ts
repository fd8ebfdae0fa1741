/** Fragments in runtimes other than Node: a composed create, a tick, a status, a step's own rows and a hook in each. */
import { afterEach, describe, expect, test } from "vitest";
import { type FragnoShop, prepareFragnoWorker, startFragnoProcess } from "./fragno-programs.ts";
import { missingRuntime, missingWorkerd } from "./tools.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const keep = (shop: FragnoShop): FragnoShop => {
  closing.push(() => shop.stop());
  return shop;
};

async function send(url: string, body?: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method: "POST", headers, ...given });
  const text = await response.text();
  return response.ok ? JSON.parse(text) : { status: response.status, body: JSON.parse(text) };
}

const read = async (url: string): Promise<unknown> => (await fetch(url)).json();

/** Everything that a request, a tick and the tables do, once. */
async function runShop(url: string, id: string): Promise<void> {
  const instance = `${url}/api/workflows/workflows/order/instances/${id}`;
  expect(await send(`${url}/api/shop/orders/${id}`)).toEqual({ id, status: "queued" });
  // The id is taken: neither a second order nor a second instance.
  expect(await send(`${url}/api/shop/orders/${id}`)).toMatchObject({ status: 409 });
  expect(await send(`${url}/tick`)).toMatchObject({ processedCount: 1, instanceCount: 1 });
  expect(await read(instance)).toMatchObject({ details: { status: "waiting" } });
  await send(`${instance}/events`, { type: "paid", payload: ["post", 1] });
  expect(await send(`${url}/tick`)).toMatchObject({ instanceCount: 1, moreDue: false });
  expect(await read(instance)).toMatchObject({
    details: { status: "complete", output: "shipped" },
  });
  expect(await read(`${url}/api/shop/shipments`)).toContainEqual({
    orderId: id,
    carrier: ["post", 1],
  });
  expect(await read(`${url}/told`)).toEqual([`${id} false`]);
}

for (const reason of [missingRuntime("deno"), missingRuntime("bun"), missingWorkerd()])
  if (reason !== null) console.warn(`SKIPPED: ${reason}`);

describe.each(["deno", "bun"] as const)("fragments in %s", (runtime) => {
  test.skipIf(missingRuntime(runtime) !== null)(
    `fragno defects 24 to 28: an order, its instance, its hook and its step's rows, on a file of ${runtime}'s own SQLite`,
    async () => {
      const { url } = keep(await startFragnoProcess(runtime));
      expect(await send(`${url}/migrate`)).toBe("migrated");
      expect(await send(`${url}/migrate`)).toBe("migrated");
      await runShop(url, "o1");
    },
  );
});

describe.skipIf(missingWorkerd() !== null)("fragments in workerd", () => {
  test("fragno defect 26: tables are migrated with nodejs_compat; the rest needs nodejs_als alone", async () => {
    const worker = await prepareFragnoWorker();
    closing.push(() => worker.remove());
    const whole = await worker.start(["nodejs_compat"]);
    try {
      for (const place of ["d1", "object"]) {
        expect(await send(`${whole.url}/${place}/migrate`)).toBe("migrated");
        await runShop(`${whole.url}/${place}`, "o1");
      }
    } finally {
      await whole.stop();
    }
    const { url } = keep(await worker.start(["nodejs_als"]));
    for (const place of ["d1", "object"]) await runShop(`${url}/${place}`, "o2");
  });
});
