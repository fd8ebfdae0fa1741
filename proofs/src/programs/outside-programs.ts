/** Rows about those who call from outside: over HTTP, and again. */
import { defineWorkflow } from "@escapement/engine";
import { expect } from "vitest";
import { CALLBACKS, HOUR_MS, define, key, wholeOf } from "./bodies.ts";
import type { Programs } from "./program.ts";

export const OUTSIDE_PROGRAMS: Programs = {
  "S6-021 a retry and a restart keep idempotency keys, a restart with newKeys has others": () => {
    const keys = new Set<string>();
    return {
      workflow: defineWorkflow({ name: "w" }, async (_event, step) => {
        await step.do("pay", ({ idempotencyKey }) => void keys.add(idempotencyKey));
        const { payload } = await step.waitForEvent("go", { type: "go" });
        if (payload === "fail") throw new TypeError("no");
      }),
      scenario: {
        setup: () => keys.clear(),
        drive: async (harness, instance) => {
          await instance.sendEvent({ type: "go", payload: "fail" });
          await harness.runUntilIdle();
          for (const [newKeys, count] of [
            [false, 1],
            [true, 2],
            [false, 2],
          ] as const) {
            await instance.restart({ newKeys });
            await instance.sendEvent({ type: "go" });
            await harness.runUntilIdle();
            expect(await instance.status()).toMatchObject({ status: "complete" });
            expect(keys.size).toBe(count);
          }
        },
      },
    };
  },

  "S6-016 a callback's URL is used once; forged, used and late ones are refused": () => {
    const urls = new Map<string, string>();
    return {
      workflow: define(async (step) => {
        const approval = await step.callback("approve", { timeout: "9 days" });
        const late = await step.callback("late", { timeout: "1 hour" });
        await step.do("mail", (context) => {
          urls.set("approve", approval.url).set("late", late.url);
          return key(context);
        });
        const missed = await step.try("t", () => late.payload());
        return [await approval.payload(), missed.ok || missed.kind];
      }),
      scenario: {
        setup: () => urls.clear(),
        engine: { callbacks: { ...CALLBACKS, url: "https://acme.dev/api/workflows" } },
        drive: async (harness, instance) => {
          await harness.runThroughTime(2 * HOUR_MS);
          const post = async (url = "", by = ""): Promise<string> => {
            const headers = { "content-type": "application/json" };
            const body = JSON.stringify({ by });
            const request = new Request(url, { method: "POST", headers, body });
            const answer = await wholeOf(harness).engine.fetch(request);
            const { code = "" } = (await answer.json()) as { readonly code?: string };
            return `${answer.status} ${code}`;
          };
          const approve = urls.get("approve");
          expect(await post(urls.get("late"))).toMatch(/^4\d\d CALLBACK_LATE$/);
          expect(await post(`${approve}x`)).toMatch(/^4\d\d CALLBACK_INVALID$/);
          expect(await post(approve, "ada")).toBe("200 ");
          expect(await post(approve, "eve")).toBe("409 CALLBACK_USED");
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({ output: [{ by: "ada" }, "timeout"] });
        },
      },
    };
  },

  "S6-017 a stream is read to its end by pages, lines and events, each from where it was left":
    () => ({
      workflow: define(async (step) => {
        for (const n of [1, 2, 3]) await step.progress(n);
        await step.sleep("nap", "1 hour");
        await step.join("j", { a: (own) => own.progress(4) });
        void step.progress(5);
      }),
      scenario: {
        engine: { http: { open: true } },
        drive: async (harness, instance) => {
          const read = async (accept: string, after: number): Promise<string> => {
            const path = `workflows/w/instances/${instance.id}/stream?limit=2&waitMs=0&after=${after}`;
            const request = new Request(`http://a.test/api/workflows/${path}`, {
              headers: { accept },
            });
            return (await wholeOf(harness).engine.fetch(request)).text();
          };
          const values = (text: string): readonly unknown[] =>
            [...text.matchAll(/"sequence":(\d+),"value":(\d)/gu)].map(([, sequence, value]) => {
              expect(sequence).toBe(value);
              return Number(value);
            });
          const ways = ["application/json", "application/x-ndjson", "text/event-stream"];
          await harness.runThroughTime(HOUR_MS / 2);
          for (const way of ways) expect(values(await read(way, 1))).toEqual([2, 3]);
          await harness.runThroughTime();
          expect((await instance.status()).status).toBe("complete");
          for (const way of ways) {
            const told: unknown[] = [];
            for (let text = ""; !/"ended":true/u.test(text);) {
              text = await read(way, told.length);
              told.push(...values(text));
            }
            expect(told, way).toEqual([1, 2, 3, 4, 5]);
          }
        },
      },
    }),
};
