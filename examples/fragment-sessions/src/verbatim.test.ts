/** The founding documents' code, word for word: it compiles, and it runs. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFragnoAdapter, type FragnoAdapter } from "@escapement/db/fragno";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import type { WorkflowDefinition, WorkflowInstance } from "@escapement/engine";
import {
  createDurableHooksProcessor,
  createWorkflowsFragment,
  defaultFragnoRuntime,
  type DurableHooksProcessor,
  type WorkflowsFragment,
} from "@escapement/engine/fragment";
import { instantiate, type AnyFragnoInstantiatedFragment } from "@fragno-dev/core";
import { migrate } from "@fragno-dev/db";
import Libsql from "libsql";
import { beforeEach, describe, expect, it } from "vitest";
import { myFragmentDefinition } from "./fragment/definition.ts";
import type { myRoutesFactory } from "./fragment/routes.ts";
import { myFragmentSchema } from "./schema.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** By a computed name: the compiler's settings of that folder are the ones that count. */
const load = async <T>(name: string): Promise<T> =>
  (await import(/* @vite-ignore */ pathOf(`../verbatim/${name}.ts`))) as T;

let adapter: FragnoAdapter;

beforeEach(() => {
  adapter = createFragnoAdapter({ database: createSqliteDatabase(new Libsql(":memory:")) });
});

it("S0-025 S0-026 S0-027 S0-030 S0-043 S0-045 S0-046 S0-047 S0-058 S1-001 every block compiles as it stands in the documents", async () => {
  const tsc = pathOf("../../../node_modules/typescript/bin/tsc");
  // Rejects, with what the compiler said, unless it had nothing to say.
  const compiled = promisify(execFile)(process.execPath, [tsc, "-p", pathOf("../verbatim")]);
  await expect(compiled).resolves.toMatchObject({ stdout: "" });
}, 120_000);

describe("spec 000 §6", () => {
  it("S0-056 S0-057 S0-058 S0-059 classes run, start children by this.workflows, and are bound by their keys", async () => {
    const { start } = await load<{
      start(
        adapter: FragnoAdapter,
        migrateFragment: typeof migrate,
      ): Promise<{ fragment: WorkflowsFragment; instance: WorkflowInstance }>;
    }>("spec-000");
    const { fragment, instance } = await start(adapter, migrate);
    await fragment.workflows["PARENT"]?.create({ id: "p" });
    await fragment.workflows["MY"]?.create({ id: "m" });
    await createDurableHooksProcessor([fragment]).process();
    expect(await instance.status()).toMatchObject({ status: "complete", output: "order-123" });
    const statusOf = async (key: string, id: string) =>
      (await fragment.workflows[key]?.get(id))?.status();
    expect(await statusOf("PARENT", "p")).toMatchObject({ status: "complete" });
    expect(await statusOf("CHILD", "child-p")).toMatchObject({ status: "complete", output: "p" });
    expect(await statusOf("MY", "m")).toMatchObject({ status: "waiting" });
  });
});

describe("guide 001", () => {
  it("S1-021 S1-024 the app's wiring starts, and stops", async () => {
    const { initServer } = await load<{
      initServer(adapter: FragnoAdapter): Promise<{
        myFragment: AnyFragnoInstantiatedFragment;
        dispatcher: DurableHooksProcessor;
      }>;
    }>("guide-001-init");
    const { myFragment, dispatcher } = await initServer(adapter);
    expect(myFragment.name).toBe("my-fragment");
    await dispatcher.stopPolling();
  });

  it("S1-004 S1-005 S1-013 S1-014 its route creates, its workflow waits, takes the message and writes it", async () => {
    const { SessionWorkflow } = await load<{ SessionWorkflow: WorkflowDefinition }>(
      "guide-001-workflow",
    );
    const routes = await load<{ myRoutesFactory: typeof myRoutesFactory }>("guide-001-routes");
    const workflows = createWorkflowsFragment(
      { workflows: { session: SessionWorkflow }, runtime: defaultFragnoRuntime },
      { databaseAdapter: adapter },
    );
    const my = instantiate(myFragmentDefinition)
      .withConfig({})
      .withRoutes([routes.myRoutesFactory])
      .withOptions({ databaseAdapter: adapter })
      .withServices({ workflows: workflows.services })
      .build();
    await migrate(workflows);
    await migrate(my);
    const processor = createDurableHooksProcessor([workflows, my]);
    const created = await my.callRoute("POST", "/sessions", { body: { agentName: "ada" } });
    expect(created).toMatchObject({ type: "json", data: { status: "queued" } });
    if (created.type !== "json") return;
    await processor.process();
    const { id } = created.data as { id: string };
    const instance = await workflows.workflows.session.get(id);
    await instance.sendEvent({ type: "user_message", payload: { text: "hi" } });
    await processor.process();
    expect(await instance.status()).toMatchObject({ status: "complete", output: { ok: true } });
    expect(await my.$internal.deps.db.find("event")).toMatchObject([
      { sessionId: id, payload: { text: "hi" } },
    ]);
    expect(my.$internal.deps.schema).toBe(myFragmentSchema);
  });
});
