/** Payloads and names are returned unchanged, byte for byte. */
import { describe, expect, test } from "vitest";
import { encodeJson } from "../../core/codec.ts";
import { errorOf, openWait, step } from "./builders.ts";
import { parkIn, type SceneSource } from "./scene.ts";

const MIB = 1024 * 1024;

const PAYLOADS: Readonly<Record<string, string | null>> = {
  "nothing (null)": null,
  "JSON null": "null",
  "an empty string": `""`,
  "an empty object": "{}",
  "a number": "12345678901234567890.5",
  "a string that looks like JSON": JSON.stringify(`{"a":[1,2,"x"]}`),
  "text that looks like a number": JSON.stringify("0123"),
  "text that looks like a boolean": JSON.stringify("true"),
  "unicode outside the basic plane": JSON.stringify("𝔘nicode – 日本語 – 🧵‍💥 – \u2028"),
  "quotes, backslashes and newlines": JSON.stringify(`'; drop table x; -- "\\" \r\n\t`),
  "dates, maps, BigInt and the like, tagged (S5-027)": encodeJson(
    {
      at: new Date(0),
      map: new Map([["ключ", new Set([1n, undefined, Number.NaN])]]),
      bytes: new Uint8Array([0, 255]),
      url: new URL("https://a.test/"),
      error: new RangeError("inner"),
    },
    { maxBytes: MIB, what: "payload" },
  ),
  "escaped NUL characters": String.raw`"a\u0000b\\u0000"`,
  "escaped lone surrogates": String.raw`"\ud800"`,
  "a key with an escaped NUL": String.raw`{"\u0000":1}`,
  "spaces and key order": `{ "b" : 1,\n "a" : 2 }`,
  "1 MiB": JSON.stringify("x".repeat(MIB - 2)),
  "1 MiB of characters that need escapes": JSON.stringify(`"\\é`.repeat(MIB / 8)),
};

export function describePayloads(scene: SceneSource): void {
  describe("payloads", () => {
    for (const [name, text] of Object.entries(PAYLOADS)) {
      test(`${name} round-trips as params, result, event and output (S0-031)`, async () => {
        const { create, claimOne, send, end, load, history } = scene();
        const { instanceId } = await create({ params: text });
        await send(instanceId, "go", text);
        const run = await claimOne();
        expect([run.params, run.events[0]?.payload]).toEqual([text, text]);
        await end(run, { kind: "release" }, [step("work", { result: text })]);
        const next = await claimOne();
        expect(next.settled[0]?.result).toBe(text);
        await end(next, { kind: "complete", output: text });
        expect(await load(instanceId)).toMatchObject({ params: text, output: text });
        const page = await history(run.run);
        expect([page.steps.items[0]?.result, page.events.items[0]?.payload]).toEqual([text, text]);
      });
    }

    test("error names and messages round-trip", async () => {
      const { start, end, load } = scene();
      const error = errorOf("Ошибка", `"quoted" \\ 🧨\n${"m".repeat(10_000)}`);
      const run = await start();
      await end(run, { kind: "fail", error }, [step("bad", { status: "errored", error })]);
      expect((await load(run.run.instanceId)).error).toEqual(error);
    });

    test("S5-042 S5-043 S4-006 code, details, stack and causes of an error round-trip, and replay reads them", async () => {
      const { start, end, load, history, claimOne, clock } = scene();
      const cause = { ...errorOf("RangeError", "inner"), stack: "RangeError: inner\n    at f" };
      const details = { orderId: 7, nested: [{ ключ: "значение 🧨" }], quoted: `"\\` };
      const error = { ...errorOf("TypeError", "bug"), code: "E_BUG", details, stack: "s", cause };
      const parked = await start();
      await end(parked, parkIn(1), [
        step("bad", { status: "errored", error, settledOrder: 1 }),
        step("again", { status: "waiting", error, nextRetry: { inMs: 0 } }),
      ]);
      await clock.advance(5);
      const run = await claimOne();
      expect(run.settled.map((settled) => settled.error)).toEqual([error]);
      expect(run.open.map((open) => open.error)).toEqual([error]);
      await end(run, { kind: "fail", error });
      expect((await load(run.run.instanceId)).error).toEqual(error);
      const page = await history(run.run);
      expect(page.steps.items.map((item) => item.error)).toEqual([error, error]);
    });

    test("an error with an empty message is an error", async () => {
      const { start, end, load } = scene();
      const run = await start();
      await end(run, { kind: "fail", error: errorOf("Error", "") });
      expect((await load(run.run.instanceId)).error).toEqual(errorOf("Error", ""));
    });

    test("names of workflows, steps and events may be any text", async () => {
      const { store, newInstance, claimOne, end, history } = scene();
      const workflowName = `${newInstance().workflowName} 'quoted" \\ 日本 %_`;
      await store.create([newInstance({ workflowName })]);
      const run = await claimOne({ workflowNames: [workflowName] });
      expect(run.run.workflowName).toBe(workflowName);
      const key = `шаг "1" \\ 'x' ${"k".repeat(200)}`;
      await end(run, parkIn(1), [openWait(key, "type-1_X", null)]);
      expect((await history(run.run)).steps.items[0]).toMatchObject({
        stepKey: key,
        waitEventType: "type-1_X",
      });
    });
  });
}
