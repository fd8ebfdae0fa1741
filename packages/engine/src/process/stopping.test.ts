import { expect, it } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createEngine, type Engine } from "../verbs/engine.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** An engine whose claims return when the test says so, beside one without delays, with one instance. */
async function openScene() {
  const memory = createMemoryStore();
  let tellAsked: () => void = () => {};
  const asked = new Promise<void>((resolve) => (tellAsked = resolve));
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const claim: typeof memory.claim = async (ticket) => {
    const result = await memory.claim(ticket);
    tellAsked();
    await answered;
    return result;
  };
  const bodies: string[] = [];
  let tellBegun: () => void = () => {};
  const firstBegun = new Promise<void>((resolve) => (tellBegun = resolve));
  const TWO = defineWorkflow({ name: "two" }, async (_event, step) => {
    for (const name of ["first", "second"])
      await step.do(name, async () => {
        tellBegun();
        await turn();
        bodies.push(name);
      });
  });
  const workflows = { TWO };
  const slow: Engine = createEngine({ workflows, store: { ...memory, claim } });
  const other = createEngine({ workflows, store: memory });
  await other.workflows.TWO.create({ id: "a" });
  const expectWholeOnOther = async (): Promise<void> => {
    expect(await other.tick()).toMatchObject({ processed: 1 });
    expect(bodies).toEqual(["first", "second"]);
    const { steps } = await other.listHistory("two", "a", {});
    const once = { attempts: 1, lostAttempts: 0, status: "completed" };
    expect(steps).toMatchObject([once, once]);
  };
  return { slow, asked, answer, bodies, firstBegun, expectWholeOnOther };
}

it("S0-001 a loop that is stopped while it claims hands back what the claim brings: no body begins, no attempt is lost", async () => {
  const { slow, asked, answer, bodies, expectWholeOnOther } = await openScene();
  const loop = slow.startLoop();
  await asked;
  const stopped = loop.stop();
  await turn();
  answer();
  await stopped;
  await turn();
  expect(bodies).toEqual([]);
  await expectWholeOnOther();
});

it("S0-001 a tick whose signal is aborted while it claims hands back what the claim brings", async () => {
  const { slow, asked, answer, bodies, expectWholeOnOther } = await openScene();
  const stopping = new AbortController();
  const ticked = slow.tick({ signal: stopping.signal });
  await asked;
  stopping.abort();
  answer();
  expect(await ticked).toMatchObject({ steps: 0, moreDue: true });
  expect(bodies).toEqual([]);
  await expectWholeOnOther();
});

it("S0-001 a tick whose signal is aborted in a body ends that body and hands over before the next", async () => {
  const { slow, asked, answer, bodies, firstBegun, expectWholeOnOther } = await openScene();
  const stopping = new AbortController();
  const ticked = slow.tick({ signal: stopping.signal });
  await asked;
  answer();
  await firstBegun;
  stopping.abort();
  expect(await ticked).toMatchObject({ steps: 1, moreDue: true });
  expect(bodies).toEqual(["first"]);
  await expectWholeOnOther();
});
