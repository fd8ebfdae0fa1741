import { createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, test } from "vitest";
import { host } from "./index.ts";

const ORDER = defineWorkflow({ name: "order" }, () => "done");
const storage = { getAlarm: async () => null, setAlarm: async () => undefined };

test("a call that is refused unread is read to its end all the same, and one without an end is cut off", async () => {
  const { fetch } = host(
    { storage, waitUntil: () => undefined, blockConcurrencyWhile: (work) => work() },
    (platform) =>
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
