import { expect, it } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createEngine } from "../verbs/engine.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";

/** A process with one slot, whose creates return when the test says so, beside one that only ticks. */
function openScene() {
  const time = createFakeTime();
  const memory = createMemoryStore({ now: time.now });
  const answers: (() => void)[] = [];
  const create: typeof memory.create = async (instances) => {
    const results = await memory.create(instances);
    await new Promise<void>((resolve) => answers.push(resolve));
    return results;
  };
  const bodies: string[] = [];
  const NAP = defineWorkflow({ name: "nap" }, async ({ instanceId }, step) => {
    await step.sleep("nap", "10 seconds");
    await step.do("after", () => void bodies.push(instanceId));
  });
  const QUICK = defineWorkflow({ name: "quick" }, ({ instanceId }, step) =>
    step.do("only", () => void bodies.push(instanceId)),
  );
  const workflows = { NAP, QUICK };
  const { host } = time;
  const looping = createEngine({ workflows, store: { ...memory, create }, host, concurrency: 1 });
  const other = createEngine({ workflows, store: memory, host });
  const answer = async (): Promise<void> => {
    answers.shift()?.();
    await time.advance(0);
  };
  return { time, looping, other, bodies, answer };
}

it("a loop whose look at the database finds its only slot promised to a call looks again", async () => {
  const { time, looping, other, bodies, answer } = openScene();
  await other.workflows.NAP.create({ id: "a" });
  const loop = looping.startLoop();
  await time.advance(9_000);
  const refused = looping.workflows.NAP.create({ id: "a" }).catch(() => "refused");
  await time.advance(2_000);
  await answer();
  expect(await refused).toBe("refused");
  await time.advance(5_000);
  expect(bodies).toEqual(["a"]);
  await loop.stop();
});

it("an instance whose creation is answered after the loop was stopped is handed back, and no attempt of it is lost", async () => {
  const { time, looping, other, bodies, answer } = openScene();
  const loop = looping.startLoop();
  await time.advance(0);
  const created = looping.workflows.QUICK.create({ id: "a" });
  await time.advance(0);
  await loop.stop();
  await answer();
  await created;
  expect(bodies).toEqual([]);
  expect(await other.tick()).toMatchObject({ processed: 1 });
  const once = { attempts: 1, lostAttempts: 0, status: "completed" };
  expect((await other.listHistory("quick", "a", {})).steps).toMatchObject([once]);
});

it("what comes due here while a claim is under way is looked for as soon as that is answered", async () => {
  const time = createFakeTime();
  const memory = createMemoryStore({ now: time.now });
  const answers: (() => void)[] = [];
  const claim: typeof memory.claim = async (request) => {
    const result = await memory.claim(request);
    await new Promise<void>((resolve) => answers.push(resolve));
    return result;
  };
  const bodies: string[] = [];
  const QUICK = defineWorkflow({ name: "quick" }, ({ instanceId }, step) =>
    step.do("only", () => void bodies.push(instanceId)),
  );
  const options = { workflows: { QUICK }, host: time.host, concurrency: 1 };
  const engine = createEngine({ ...options, store: { ...memory, claim } });
  const loop = engine.startLoop({ pollMs: 600_000 });
  await time.advance(0);
  await engine.workflows.QUICK.create({ id: "a" });
  for (let claims = 0; claims < 2; claims += 1) {
    answers.shift()?.();
    await time.advance(0);
  }
  expect(bodies).toEqual(["a"]);
  for (const answer of answers) answer();
  await loop.stop();
});
