import { createPostgresDatabase } from "@escapement-internal/test-servers";
import { createPgDatabase } from "@escapement/db/pg";
import {
  defineFragment,
  instantiate,
  type InstantiatedFragmentFromDefinition,
} from "@fragno-dev/core";
import { withDatabase } from "@fragno-dev/db";
import { column, idColumn, schema } from "@fragno-dev/db/schema";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { InstanceView } from "@escapement/engine";
import { defineWorkflow } from "../fragment/authoring.ts";
import {
  createScenarioSteps,
  defineScenario,
  type FragmentsBuilder,
  runScenario,
  ScenarioError,
} from "./index.ts";

const noteSchema = schema((s) =>
  s.addTable("note", (t) =>
    t
      .addColumn("id", idColumn())
      .addColumn("text", column("string"))
      .createIndex("idx_text", ["text"]),
  ),
);
const delivered: string[] = [];
const noteDefinition = defineFragment("notes")
  .extend(withDatabase(noteSchema))
  .provideHooks(({ defineHook }) => ({
    onNote: defineHook(async (text: string) => void delivered.push(text)),
  }))
  .providesBaseService(({ defineService }) =>
    defineService({
      write(text: string) {
        return this.serviceTx(noteSchema)
          .mutate(({ uow }) => {
            uow.triggerHook("onNote", text);
            return uow.create("note", { text });
          })
          .build();
      },
    }),
  )
  .build();

type Notes = InstantiatedFragmentFromDefinition<typeof noteDefinition>;

let hangs = false;
const registry = {
  note: defineWorkflow(
    { name: "note-workflow", schema: z.object({ text: z.string() }) },
    async (event, step) => {
      await step.do("write", (tx) => {
        tx.mutate(({ forSchema }) => {
          forSchema(noteSchema).create("note", { text: event.payload.text });
        });
        return hangs ? new Promise<void>(() => undefined) : undefined;
      });
      const reply = await step.tryWaitForEvent<{ text: string }>("reply", {
        type: "reply",
        timeout: "7 days",
      });
      return reply === null ? "nobody replied" : reply.payload.text;
    },
  ),
} as const;

interface Vars {
  note: InstanceView;
  texts: string[];
}

const steps = createScenarioSteps<typeof registry, Vars>();
const harness = {
  configureBuilder: (builder: FragmentsBuilder) =>
    builder.withFragment("notes", instantiate(noteDefinition)),
};

const create = steps.initializeAndRunUntilIdle({
  workflow: "note",
  id: "n1",
  params: { text: "hello" },
  storeAs: "note",
});
const readTexts = steps.read({
  read: async ({ db }) => (await db(noteSchema).find("note")).map(({ text }) => text),
  storeAs: "texts",
});

describe("a scenario", () => {
  it("S1-016 S1-017 S1-018 S1-019 runs a workflow, its event and its rows, and keeps what steps store", async () => {
    const scenario = defineScenario({
      name: "reply",
      workflows: registry,
      harness,
      steps: [
        create,
        steps.assert(({ vars }) => expect(vars.note.details.status).toBe("waiting")),
        readTexts,
        steps.eventAndRunUntilIdle({
          workflow: "note",
          instanceId: ({ vars }) => vars.note.id,
          event: { type: "reply", payload: { text: "hi" } },
          storeAs: "note",
        }),
      ],
    });
    expect(await runScenario(scenario)).toMatchObject({
      vars: { texts: ["hello"], note: { id: "n1", details: { status: "complete", output: "hi" } } },
    });
  });

  it("S1-016 time is the scenario's: a week passes at once, and not before it is told to", async () => {
    await runScenario({
      name: "no reply",
      workflows: registry,
      harness,
      steps: [
        create,
        steps.advanceTimeAndRunUntilIdle({ by: "6 days" }),
        steps.assert(async ({ status }) =>
          expect(await status("note", "n1")).toMatchObject({ status: "waiting" }),
        ),
        steps.advanceTimeAndRunUntilIdle({ by: "1 day" }),
        steps.assert(async ({ status }) =>
          expect(await status("note", "n1")).toMatchObject({ output: "nobody replied" }),
        ),
      ],
    });
  });

  it("S1-016 a runner that dies in a body wrote nothing; the next one takes over when the lease ends", async () => {
    await runScenario({
      name: "crash",
      workflows: registry,
      harness,
      steps: [
        steps.assert(() => void (hangs = true)),
        steps.initialize({ workflow: "note", id: "n1", params: { text: "hello" } }),
        steps.startTick(),
        steps.restartRunner(),
        steps.assert(() => void (hangs = false)),
        steps.runUntilIdle(),
        readTexts,
        steps.assert(({ vars }) => expect(vars.texts).toEqual([])),
        steps.advanceTimeAndRunUntilIdle({ by: "31 seconds" }),
        readTexts,
        steps.assert(({ vars }) => expect(vars.texts).toEqual(["hello"])),
        steps.assert(async ({ history }) =>
          expect((await history("note", "n1")).steps[0]).toMatchObject({
            name: "write",
            attempts: 1,
            status: "completed",
          }),
        ),
      ],
    });
  });

  it("S1-016 pauses, resumes, terminates and restarts", async () => {
    const n1 = { workflow: "note", instanceId: "n1", storeAs: "note" } as const;
    const statusIs = (status: string) =>
      steps.assert(({ vars }) => expect(vars.note.details.status).toBe(status));
    await runScenario({
      name: "control",
      workflows: registry,
      harness,
      steps: [
        create,
        steps.pause(n1),
        statusIs("paused"),
        steps.resumeAndRunUntilIdle(n1),
        statusIs("waiting"),
        steps.terminate(n1),
        statusIs("terminated"),
        steps.restart(n1),
        statusIs("queued"),
      ],
    });
  });

  it("S1-017 fragments are there with their services, and their hooks run", async () => {
    delivered.length = 0;
    const typed = createScenarioSteps<typeof registry, Vars, { readonly notes: Notes }>();
    await runScenario(
      defineScenario({
        name: "hooks",
        workflows: registry,
        harness,
        steps: [
          typed.read({
            read: ({ fragments: { notes } }) =>
              notes.inContext(async function () {
                await this.handlerTx()
                  .withServiceCalls(() => [notes.services.write("by hand")] as const)
                  .execute();
              }),
          }),
          typed.runUntilIdle(),
        ],
      }),
    );
    expect(delivered).toEqual(["by hand"]);
  });

  it("S1-016 plays on a database that it is given", async () => {
    const { url, drop } = await createPostgresDatabase();
    const database = createPgDatabase({ connectionString: url });
    try {
      const { vars } = await runScenario({
        name: "postgres",
        workflows: registry,
        harness: { ...harness, database },
        steps: [create, readTexts],
      });
      expect(vars.texts).toEqual(["hello"]);
    } finally {
      await database.close();
      await drop();
    }
  });
});

describe("a step that fails", () => {
  const run = (step: typeof create) =>
    runScenario({ name: "broken", workflows: registry, harness, steps: [create, step] });

  it("S1-016 is named with its scenario, its place and what it was to do", async () => {
    const again = run(create);
    await expect(again).rejects.toBeInstanceOf(ScenarioError);
    await expect(again).rejects.toThrow(
      'scenario "broken", step 2 of 2, initializeAndRunUntilIdle note n1: ',
    );
    await expect(again).rejects.toMatchObject({ cause: { code: "INSTANCE_ID_ALREADY_EXISTS" } });
  });

  it("S1-016 has the assertion that failed as its cause", async () => {
    const failed = run(steps.assert(() => expect(1).toBe(2)));
    await expect(failed).rejects.toMatchObject({
      failed: { scenario: "broken", step: 2, stepCount: 2, label: "assert" },
      cause: { actual: 1, expected: 2 },
    });
  });

  it("S1-017 says that a schema's fragment is missing", async () => {
    const scenario = { name: "bare", workflows: registry, steps: [readTexts] };
    await expect(runScenario(scenario)).rejects.toThrow("withFragment");
  });
});
