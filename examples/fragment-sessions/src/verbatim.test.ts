/** The founding documents' code, word for word: it compiles, and it runs. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  createDurableHooksProcessor,
  createFragnoAdapter,
  createWorkflowsFragment,
  defaultFragnoRuntime,
  type DurableHooksProcessor,
  type FragnoAdapter,
  type WorkflowDefinition,
  type WorkflowEntrypoint,
  type WorkflowInstance,
  type WorkflowsFragment,
} from "@escapement/fragno";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import type { AnyFragnoInstantiatedFragment } from "@fragno-dev/core";
import { migrate } from "@fragno-dev/db";
import Libsql from "libsql";
import { beforeEach, describe, expect, it } from "vitest";
import type { createMyFragment } from "./fragment/index.ts";

/** What the documents' files export, as far as it matters here: compiling them is the first test's. */
type WorkflowClass = new () => WorkflowEntrypoint;
interface Bindings {
  start(
    databaseAdapter: FragnoAdapter,
  ): Promise<{ fragment: WorkflowsFragment; instance: WorkflowInstance }>;
  readonly ChildWorkflow: WorkflowClass;
}

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** By a computed name: the compiler's settings of that folder are the ones that count. */
const load = async <T>(name: string): Promise<T> =>
  (await import(/* @vite-ignore */ pathOf(`../verbatim/${name}.ts`))) as T;

let adapter: FragnoAdapter;

beforeEach(() => {
  adapter = createFragnoAdapter({ database: createSqliteDatabase(new Libsql(":memory:")) });
});

/** What the compiler says of the documents' code. */
async function compile(...flags: readonly string[]): Promise<readonly string[]> {
  const tsc = pathOf("../../../node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", pathOf("../verbatim"), ...flags];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout.split("\n").filter((line) => line !== "");
}

const BLOCKS = "S0-025 S0-026 S0-027 S0-030 S0-043 S0-045 S0-046 S0-047 S0-058 S1-001";

it(`${BLOCKS} every block compiles under "strict", but for three parameters that the documents give no type`, async () => {
  expect(await compile()).toEqual([
    expect.stringMatching(/init\.ts.* TS7006: Parameter 'adapter' implicitly has an 'any' type/u),
    expect.stringMatching(/child-workflows\.ts.* TS7006: Parameter 'event' implicitly/u),
    expect.stringMatching(/child-workflows\.ts.* TS7006: Parameter 'step' implicitly/u),
  ]);
  expect(await compile("--noImplicitAny", "false")).toEqual([]);
}, 120_000);

describe("spec 000 §6", () => {
  it("S0-056 S0-058 workflows are bound by their keys", async () => {
    const { start } = await load<Bindings>("spec-000/bindings");
    const { fragment, instance } = await start(adapter);
    await createDurableHooksProcessor([fragment]).process();
    expect(await instance.status()).toMatchObject({ status: "complete", output: "order-123" });
  });

  it("S0-056 S0-057 S0-059 classes run, and start children by this.workflows", async () => {
    const { ChildWorkflow } = await load<Bindings>("spec-000/bindings");
    const { ParentWorkflow } = await load<{ ParentWorkflow: WorkflowClass }>(
      "spec-000/child-workflows",
    );
    const { MyWorkflow } = await load<{ MyWorkflow: WorkflowClass }>("spec-000/my-workflow");
    const workflows = {
      CHILD: { name: "child-workflow", workflow: ChildWorkflow },
      PARENT: { name: "parent-workflow", workflow: ParentWorkflow },
      MY: { name: "my-workflow", workflow: MyWorkflow },
    } as const;
    const fragment = createWorkflowsFragment(
      { workflows, runtime: defaultFragnoRuntime },
      { databaseAdapter: adapter },
    );
    await migrate(fragment);
    const { CHILD, MY, PARENT } = fragment.workflows;
    const parent = await PARENT.create({ id: "p" });
    const mine = await MY.create({ id: "m", params: { user: "ada" } });
    await createDurableHooksProcessor([fragment]).process();
    expect(await parent.status()).toMatchObject({ status: "complete" });
    const child = await CHILD.get("child-p");
    expect(await child.status()).toMatchObject({ status: "complete", output: "p" });
    expect(await mine.status()).toMatchObject({ status: "waiting" });
  });
});

describe("guide 001", () => {
  it("S1-021 S1-024 the app's wiring starts, and stops", async () => {
    const { initServer } = await load<{
      initServer(adapter: FragnoAdapter): Promise<{
        myFragment: AnyFragnoInstantiatedFragment;
        dispatcher: DurableHooksProcessor;
      }>;
    }>("guide-001/src/server/init");
    const { myFragment, dispatcher } = await initServer(adapter);
    expect(myFragment.name).toBe("my-fragment");
    await dispatcher.stopPolling();
  });

  it.each(["workflows", "step-5"])(
    "S1-004 S1-005 S1-009 S1-011 S1-013 S1-014 its route creates, its workflow in %s.ts waits, takes the message and writes it",
    async (file) => {
      const { SessionWorkflow } = await load<{ SessionWorkflow: WorkflowDefinition }>(
        `guide-001/src/${file}`,
      );
      const factory = await load<{ createMyFragment: typeof createMyFragment }>(
        "guide-001/src/fragment/index",
      );
      const fragment = createWorkflowsFragment(
        { workflows: { session: SessionWorkflow }, runtime: defaultFragnoRuntime },
        { databaseAdapter: adapter },
      );
      const my = factory.createMyFragment(
        {},
        { databaseAdapter: adapter },
        { workflows: fragment.services },
      );
      await migrate(fragment);
      await migrate(my);
      const processor = createDurableHooksProcessor([fragment, my]);
      const created = await my.callRoute("POST", "/sessions", { body: { agentName: "ada" } });
      expect(created).toMatchObject({ type: "json", data: { status: "queued" } });
      if (created.type !== "json") return;
      await processor.process();
      const { id } = created.data as { id: string };
      const instance = await fragment.workflows.session.get(id);
      await instance.sendEvent({ type: "user_message", payload: { text: "hi" } });
      await processor.process();
      expect(await instance.status()).toMatchObject({ status: "complete", output: { ok: true } });
      expect(await my.$internal.deps.db.find("event")).toMatchObject([
        { sessionId: id, payload: { text: "hi" } },
      ]);
    },
  );

  it("S1-008 S1-016 S1-017 its registry holds the workflow, and its scenario plays to the end", async () => {
    const { requiredWorkflows } = await load<{
      requiredWorkflows: { session: WorkflowDefinition };
    }>("guide-001/src/index");
    expect(requiredWorkflows.session.name).toBe("session-workflow");
    // Loading it runs it; a step that fails rejects.
    await load("guide-001/src/workflows.scenario.test");
  });
});
