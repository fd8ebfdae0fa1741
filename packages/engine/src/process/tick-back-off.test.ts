/** A tick beside a due run whose row another process has locked: each claim learns that it is due, and none gets it. */
import { expect, it } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import type { ClaimRequest, ClaimResult } from "../ports/claim.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createHarness } from "../testing/harness.ts";

const locked = defineWorkflow({ name: "locked" }, async () => "never");
const nap = defineWorkflow({ name: "nap" }, async (event, step) => {
  await step.sleep("nap", event.payload as number);
});

async function setup() {
  const now = (): number => harness.clock.now();
  const memory = createMemoryStore({ now });
  const claimedAt: number[] = [];
  const claim = async (request: ClaimRequest): Promise<ClaimResult> => {
    claimedAt.push(now() - startedAt);
    const { nextDueAt, nextWakeAt } = await memory.claim({ ...request, limit: 0 });
    const claimed = await memory.claim({ ...request, workflowNames: ["nap"] });
    return claimed.runs.length === request.limit ? claimed : { ...claimed, nextDueAt, nextWakeAt };
  };
  const harness = createHarness({
    workflows: { LOCKED: locked, NAP: nap },
    store: {
      store: { ...memory, claim },
      clock: { now, advance: () => undefined },
    },
  });
  const startedAt = now();
  await harness.workflows.LOCKED.create();
  const tick = (lingerMs: number) => harness.tick({ deadline: now() + 900_000, lingerMs });
  return { ...harness, tick, claimedAt };
}

it("a tick that lingers beside a due run which others have locked asks again after 250 ms, and ever more seldom, up to 8 s", async () => {
  const { clock, tick, claimedAt } = await setup();
  void tick(60_000);
  await clock.advance(24_000);
  expect(claimedAt).toEqual([0, 250, 750, 1750, 3750, 7750, 15_750, 23_750]);
});

it("beside a due run which others have locked a tick goes on no longer than it may linger for one look", async () => {
  const { clock, tick, claimedAt } = await setup();
  const ticking = tick(1000);
  await clock.advance(60_000);
  expect(claimedAt).toEqual([0, 250, 750, 1750]);
  expect(await ticking).toMatchObject({ processed: 0, nextWakeInMs: 0 });
});

it("while it asks seldom for a run which others have locked, a tick meets to the moment what it parked, and asks often again", async () => {
  const { clock, workflows, status, tick, claimedAt } = await setup();
  await workflows.NAP.create({ id: "x", params: 1100 });
  void tick(60_000);
  await clock.advance(1099);
  expect(await status("nap", "x")).toMatchObject({ status: "waiting" });
  await clock.advance(1);
  expect(await status("nap", "x")).toMatchObject({ status: "complete" });
  await clock.advance(900);
  expect(claimedAt).toEqual([0, 250, 750, 1100, 1350, 1850]);
});
