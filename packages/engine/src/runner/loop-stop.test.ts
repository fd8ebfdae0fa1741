import { expect, it } from "vitest";
import { createEngine } from "../host/engine.ts";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

it("S0-090 a loop that is stopped while it claims hands back what the claim brings: no body begins, no attempt is lost", async () => {
  const memory = createMemoryStore();
  let answer: () => void = () => {};
  let tellAsked: () => void = () => {};
  const asked = new Promise<void>((resolve) => (tellAsked = resolve));
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const store = {
    ...memory,
    claim: async (ticket: Parameters<typeof memory.claim>[0]) => {
      const result = await memory.claim(ticket);
      tellAsked();
      await answered;
      return result;
    },
  };
  const bodies: number[] = [];
  const ONE = defineWorkflow({ name: "one" }, async (_event, step) =>
    step.do("body", ({ attempt }) => bodies.push(attempt)),
  );
  const workflows = { ONE };
  const other = createEngine({ workflows, store: memory });
  await other.workflows.ONE.create({ id: "a" });
  const loop = createEngine({ workflows, store }).startLoop();
  await asked;
  const stopped = loop.stop();
  await turn();
  answer();
  await stopped;
  await turn();
  expect(bodies).toEqual([]);
  expect(await other.tick()).toMatchObject({ processed: 1 });
  expect(bodies).toEqual([1]);
  const { steps } = await other.listHistory("one", "a", {});
  expect(steps).toMatchObject([{ attempts: 1, lostAttempts: 0, status: "completed" }]);
});
