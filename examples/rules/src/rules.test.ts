import { readdirSync, readFileSync } from "node:fs";
import type { WorkflowDefinition } from "@escapement/engine";
import { createHarness, type Harness } from "@escapement/engine/testing";
import { beforeEach, describe, expect, it, vi } from "vitest";
import * as awaited from "./awaited.ts";
import * as granular from "./granular.ts";
import * as idempotent from "./idempotent.ts";
import * as instanceIds from "./instance-ids.ts";
import { audit, files, payments, warehouse } from "./outside.ts";
import * as races from "./races.ts";
import { charge } from "./retries.ts";
import * as sideEffects from "./side-effects.ts";
import * as smallResults from "./small-results.ts";
import * as stepNames from "./step-names.ts";
import * as typed from "./typed.ts";
import * as waits from "./waits.ts";

type OneWorkflow = Harness<{ readonly IT: WorkflowDefinition }>;

/** Creates one instance and runs it through all its waits. */
async function runAll(workflow: WorkflowDefinition): Promise<OneWorkflow> {
  const harness = createHarness({ workflows: { IT: workflow } });
  await harness.workflows.IT.create({ id: "one" });
  await harness.runThroughTime();
  return harness;
}

const statusOf = async (workflow: WorkflowDefinition) =>
  (await runAll(workflow)).status(workflow.name, "one");

beforeEach(() => {
  sideEffects.outbox.length = 0;
  payments.charged.length = 0;
  warehouse.parcelCount = 0;
  files.clear();
});

describe("S0-131 breaking a rule costs, keeping it does not:", () => {
  it("a side effect outside a step happens at every replay, inside it once", async () => {
    await runAll(sideEffects.wrong);
    expect(sideEffects.outbox.length).toBeGreaterThan(1);
    sideEffects.outbox.length = 0;
    await runAll(sideEffects.right);
    expect(sideEffects.outbox).toEqual(["received one"]);
  });

  it("a deadline by the process's clock moves with every replay, one by the run's time stays", async () => {
    const daysOf = async (workflow: WorkflowDefinition): Promise<number> => {
      const harness = createHarness({ workflows: { IT: workflow } });
      const began = harness.clock.now();
      const clock = vi.spyOn(Date, "now").mockImplementation(() => harness.clock.now());
      await harness.workflows.IT.create({ id: "one" });
      await harness.runThroughTime();
      clock.mockRestore();
      return (harness.clock.now() - began) / 86_400_000;
    };
    expect(await daysOf(sideEffects.wrongClock)).toBe(4);
    expect(await daysOf(sideEffects.rightClock)).toBe(3);
  });

  it("a retry charges twice without the idempotency key, once with it", async () => {
    payments.loseOneAnswer();
    await runAll(idempotent.wrong);
    expect(payments.charged).toHaveLength(2);
    payments.charged.length = 0;
    payments.loseOneAnswer();
    await runAll(idempotent.right);
    expect(payments.charged).toHaveLength(1);
  });

  it("a retry repeats all of a step, so a step does one thing", async () => {
    warehouse.runOutOfPaper();
    await runAll(granular.wrong);
    expect(warehouse.parcelCount).toBe(2);
    warehouse.parcelCount = 0;
    warehouse.runOutOfPaper();
    await runAll(granular.right);
    expect(warehouse.parcelCount).toBe(1);
  });

  it("a step that is not awaited ends with the run, unfinished", async () => {
    const lastStep = async (workflow: WorkflowDefinition) =>
      (await (await runAll(workflow)).history(workflow.name, "one")).steps.at(-1);
    expect(await lastStep(awaited.right)).toMatchObject({ status: "completed" });
    expect(audit.entries).toEqual(["closed"]);
    expect(await lastStep(awaited.wrong)).toMatchObject({
      status: "errored",
      error: { name: "StepNotAwaited" },
    });
  });

  it("a result over 1 MiB fails the run, a reference does not", async () => {
    expect(await statusOf(smallResults.wrong)).toMatchObject({
      status: "errored",
      error: { message: expect.stringContaining("more than the limit") },
    });
    expect(await statusOf(smallResults.right)).toMatchObject({ status: "complete" });
    expect(files.size).toBe(1);
  });

  it("a race outside a step may have another winner at replay", async () => {
    const { output } = (await statusOf(races.wrong)) as {
      output: { booked: string; paid: string };
    };
    expect(output.paid).not.toBe(output.booked);
    const kept = (await statusOf(races.right)) as { output: { booked: string; paid: string } };
    expect(kept.output.paid).toBe(kept.output.booked);
  });

  it("an id of the user alone allows one instance a user", async () => {
    const harness = createHarness({ workflows: { IT: awaited.right } });
    const { IT } = harness.workflows;
    const [first, second] = [
      { id: "1", userId: "ada" },
      { id: "2", userId: "ada" },
    ];
    await instanceIds.wrong(IT, first);
    await expect(instanceIds.wrong(IT, second)).rejects.toMatchObject({
      code: "INSTANCE_ID_ALREADY_EXISTS",
    });
    await instanceIds.right(IT, first);
    expect(await instanceIds.right(IT, second)).toMatchObject({ id: "ada-2" });
  });

  it("S0-106 one name several times at once is refused; a name with the clock in it is never the same", async () => {
    await runAll(stepNames.wrong);
    expect(payments.charged).toEqual([]);
    payments.charged.length = 0;
    let now = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => (now += 1));
    await runAll(stepNames.alsoWrong);
    vi.restoreAllMocks();
    expect(payments.charged.length).toBeGreaterThan(1);
    payments.charged.length = 0;
    await runAll(stepNames.right);
    expect(payments.charged).toEqual([{ cents: 100 }, { cents: 200 }, { cents: 300 }]);
  });

  it("a wait that is not a step is reported, and held against the run", async () => {
    const harness = createHarness({ workflows: { IT: waits.wrong } });
    await harness.workflows.IT.create({ id: "one" });
    const ticking = harness.tick();
    for (let minute = 0; minute < 11; minute += 1) await harness.clock.advance(60_000);
    await ticking;
    expect(harness.log).toContainEqual(
      expect.objectContaining({ event: "workflow.await_outside_step" }),
    );
    expect(await harness.status("remind", "one")).toMatchObject({ status: "errored" });
    expect(await statusOf(waits.right)).toMatchObject({ status: "complete" });
  });
});

it("what is declared is known to callers, and to the workflow that starts another", async () => {
  const harness = createHarness({ workflows: { ORDER: typed.order, SHIP: typed.ship } });
  await harness.workflows.ORDER.create({ id: "one" });
  await harness.runUntilIdle();
  const shipping = await harness.workflows.SHIP.get("one-ship");
  await shipping.sendEvent({ type: "collected", payload: { by: "Ada" } });
  await harness.runUntilIdle();
  expect((await shipping.result()).parcel).toBe("collected by Ada");
});

it("a charge waits as the bank says, and a declined card is not tried again", async () => {
  const answers = [
    new Response(null, { status: 429, headers: { "retry-after": "60" } }),
    new Response(null, { status: 402 }),
  ];
  const asked = vi.fn<() => Promise<Response>>(
    async () => answers.shift() ?? Response.json("paid"),
  );
  vi.stubGlobal("fetch", asked);
  const harness = createHarness({ workflows: { IT: charge } });
  await harness.workflows.IT.create({ id: "one" });
  await harness.runUntilIdle();
  expect((await harness.tick()).nextWakeInMs).toBe(60_000);
  await harness.runThroughTime();
  expect(await harness.status("charge", "one")).toMatchObject({ status: "errored" });
  expect(asked).toHaveBeenCalledTimes(2);
  vi.unstubAllGlobals();
});

describe("the page", () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

  it("S0-131 shows exactly this code", () => {
    const sources = readdirSync(new URL(".", import.meta.url)).map((name) => read(name));
    const blocks = [...read("../../../docs/rules.md").matchAll(/```ts\n(.*?)```/gs)];
    expect(blocks).toHaveLength(24);
    for (const [, code = ""] of blocks) {
      expect(sources.some((source) => source.includes(code.trim()))).toBe(true);
    }
  });
});
