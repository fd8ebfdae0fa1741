import { bearerAuth, createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, test } from "vitest";
import { defineObject, host } from "./index.ts";

const ORDER = defineWorkflow({ name: "order" }, () => "done");
const SECRET = "a-secret-of-these-tests-only";
const storage = { getAlarm: async () => null, setAlarm: async () => undefined };

const ctx = {
  storage,
  waitUntil: () => undefined,
  blockConcurrencyWhile: <T>(work: () => Promise<T>) => work(),
};

test("a class of defineObject is its base, and Workers reach its calls but not its engine", async () => {
  class Base {
    readonly given: unknown;
    constructor(given: typeof ctx, env: { readonly secret: string }) {
      this.given = [given, env];
    }
  }
  const Orders = defineObject(Base, ({ env: { secret }, platform }) => {
    const http = { authorizeRequest: bearerAuth(secret) };
    return createEngine({
      workflows: { ORDER },
      store: createMemoryStore(),
      platform,
      http,
      logger,
    });
  });
  class Own extends Orders {
    order = (): Promise<{ readonly id: string }> =>
      this.engine.workflows.ORDER.create({ id: "o-1" });
  }
  const object = new Own(ctx, { secret: SECRET });
  expect(object).toBeInstanceOf(Base);
  expect(await object.order()).toMatchObject({ id: "o-1" });
  const headers = { authorization: `Bearer ${SECRET}` };
  const listed = await object.fetch(
    new Request("https://orders.test/api/workflows/workflows", { headers }),
  );
  expect(listed.status).toBe(200);
  expect(await object.tick()).toMatchObject({ processed: 1 });
  // Workers can call what the prototype has.
  expect(Object.getOwnPropertyNames(Orders.prototype)).toEqual([
    "constructor",
    "fetch",
    "alarm",
    "tick",
  ]);
});

test("a call that is refused unread is read to its end all the same, and one without an end is cut off", async () => {
  const { fetch } = host(ctx, (platform) =>
    createEngine({ workflows: { ORDER }, store: createMemoryStore(), platform, logger }),
  );
  const post = async (chunks: number): Promise<readonly unknown[]> => {
    const sent = { chunks: 0, isCut: false };
    const body = new ReadableStream({
      pull: (controller) => {
        if (sent.chunks === chunks) return controller.close();
        sent.chunks += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel: () => {
        sent.isCut = true;
      },
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    const url = "https://orders.test/api/workflows/workflows/order/instances";
    const { status } = await fetch(new Request(url, init));
    return [status, sent.chunks < chunks, sent.isCut];
  };
  expect(await post(3)).toEqual([401, false, false]);
  expect(await post(1000)).toEqual([401, true, true]);
});

const logger = { log: () => undefined };
