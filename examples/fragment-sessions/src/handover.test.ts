import { createScenarioSteps, runScenario } from "@escapement/fragno/scenario";
import {
  defineFragment,
  instantiate,
  type InstantiatedFragmentFromDefinition,
} from "@fragno-dev/core";
import { withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";
import { beforeEach, describe, expect, it } from "vitest";
import { defineHandover, type Diary } from "./handover.ts";
import { myFragmentSchema } from "./schema.ts";

const diarySchema = schema((s) =>
  s.addTable("entry", (t) => t.addColumn("id", idColumn()).addColumn("text", column("string"))),
);
const read: string[] = [];
const diaryDefinition = defineFragment("diary")
  .extend(withDatabase(diarySchema))
  .provideHooks(({ defineHook }) => ({
    onEntry: defineHook((text: string) => void read.push(text)),
  }))
  .providesBaseService(({ defineService }) =>
    defineService({
      write(text: string) {
        return this.serviceTx(diarySchema)
          .mutate(({ uow }) => {
            uow.triggerHook("onEntry", text);
            return uow.create("entry", { text });
          })
          .build();
      },
    }),
  )
  .build();
const sessionDefinition = defineFragment("my-fragment")
  .extend(withDatabase(myFragmentSchema))
  .build();

let diary: Diary;
let isReachable: boolean;
const rings: string[] = [];
const workflows = {
  handover: defineHandover({
    diary: () => diary,
    async ring(_person, idempotencyKey) {
      rings.push(idempotencyKey);
      if (!isReachable) throw new RangeError("nobody answers");
    },
  }),
} as const;

interface Fragments {
  readonly [key: string]: unknown;
  readonly diary: InstantiatedFragmentFromDefinition<typeof diaryDefinition>;
}

const steps = createScenarioSteps<typeof workflows, Record<never, never>, Fragments>();
const handOver = [
  steps.read({ read: ({ fragments }) => (diary = fragments.diary.services) }),
  steps.initializeAndRunUntilIdle({
    workflow: "handover",
    id: "h1",
    params: { sessionId: "sess-1" },
  }),
  steps.eventAndRunUntilIdle({
    workflow: "handover",
    instanceId: "h1",
    event: { type: "taken", payload: { person: "ada" } },
  }),
];
const run = (name: string, more: readonly (typeof handOver)[number][]) =>
  runScenario({
    name,
    workflows,
    harness: {
      configureBuilder: (builder) =>
        builder
          .withFragment("my", instantiate(sessionDefinition))
          .withFragment("diary", instantiate(diaryDefinition)),
    },
    steps: [...handOver, ...more],
  });

beforeEach(() => {
  rings.length = 0;
  read.length = 0;
});

describe("a handover", () => {
  it("S1-005 S1-006 writes when its event is taken, and another fragment's entry with its hook", async () => {
    isReachable = true;
    await run("reachable", [
      steps.assert(async ({ db, status }) => {
        expect(await status("handover", "h1")).toMatchObject({ status: "complete" });
        expect(await db(myFragmentSchema).find("event")).toMatchObject([
          { sessionId: "sess-1", payload: { person: "ada" } },
        ]);
        expect(await db(diarySchema).find("entry")).toMatchObject([{ text: "sess-1: ada" }]);
        expect(read).toEqual(["sess-1: ada"]);
      }),
    ]);
  });

  it("S1-006 writes its failure when no attempt is left", async () => {
    isReachable = false;
    await run("unreachable", [
      steps.advanceTimeAndRunUntilIdle({ by: "10 seconds" }),
      steps.assert(async ({ db, status }) => {
        expect(await status("handover", "h1")).toMatchObject({ status: "errored" });
        const events = await db(myFragmentSchema).find("event");
        expect(events.map(({ payload }) => payload)).toEqual([
          { person: "ada" },
          { unreachable: "nobody answers" },
        ]);
        expect(await db(diarySchema).find("entry")).toEqual([]);
        expect(new Set(rings).size).toBe(1);
      }),
    ]);
    expect(rings).toHaveLength(2);
  });
});
