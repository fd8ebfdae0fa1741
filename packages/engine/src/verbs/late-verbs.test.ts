/** The first calls of an engine, whose code is loaded by them. */
import { expect, it } from "vitest";
import { createEngine, defineWorkflow, WorkflowError } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFaultStore } from "../testing/fault-store.ts";

const W = defineWorkflow({ name: "w" }, () => 1);

function openScene() {
  const store = createFaultStore(createMemoryStore(), () => "none");
  return { store, engine: createEngine({ workflows: { W }, store }) };
}

it("S9-010 creates that come before their code is loaded keep their order, and share a trip", async () => {
  const { store, engine } = openScene();
  const ids = ["a", "b", "c"];
  const created = await Promise.all(ids.map((id) => engine.workflows.W.create({ id })));
  expect(created.map(({ id }) => id)).toEqual(ids);
  expect(store.calls).toHaveLength(1);
});

it("S9-010 options are still refused by the call that is given them", () => {
  const options = { workflows: { W }, store: createMemoryStore() };
  expect(() => createEngine({ ...options, http: { mountRoute: "/a?b" } })).toThrow(WorkflowError);
});
