import {
  createDurableHooksProcessor,
  createFragnoAdapter,
  createWorkflowsFragment,
  defaultFragnoRuntime,
  type FragnoAdapter,
} from "@escapement/fragno";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import { defineFragment, instantiate } from "@fragno-dev/core";
import { migrate, withDatabase } from "@fragno-dev/db";
import Libsql from "libsql";
import { beforeEach, describe, expect, it } from "vitest";
import type { WorkflowServiceApi } from "./fragment/definition.ts";
import { createMyFragment } from "./fragment/index.ts";
import { myRoutesFactory } from "./fragment/routes.ts";
import { requiredWorkflows } from "./index.ts";
import { myFragmentSchema } from "./schema.ts";

let adapter: FragnoAdapter;

beforeEach(() => {
  adapter = createFragnoAdapter({ database: createSqliteDatabase(new Libsql(":memory:")) });
});

function createFragments() {
  const workflows = createWorkflowsFragment(
    { workflows: { ...requiredWorkflows }, runtime: defaultFragnoRuntime },
    { databaseAdapter: adapter },
  );
  const my = createMyFragment({}, { databaseAdapter: adapter }, { workflows: workflows.services });
  return { workflows, my };
}

type Fragments = ReturnType<typeof createFragments>;

/** A session and its instance, under an id of the test's choice. */
const createSession = ({ workflows, my }: Fragments, id: string, agent = "ada") =>
  my.inContext(async function () {
    await this.handlerTx()
      .withServiceCalls(() => [
        workflows.services.createInstance("session-workflow", {
          id,
          params: { sessionId: id, agentName: agent },
        }),
      ])
      .mutate(({ forSchema }) => {
        forSchema(myFragmentSchema).create("session", { id, agent, status: "active" });
      })
      .execute();
  });

describe("wiring", () => {
  it("S1-023 each fragment migrates by itself, in any order, and again at every start", async () => {
    const fragments = createFragments();
    await migrate(fragments.my);
    await migrate(fragments.workflows);
    await migrate(fragments.my);
    await createSession(fragments, "s1");
    expect(await fragments.my.$internal.deps.db.find("session")).toHaveLength(1);
  });

  it("S1-010 S1-025 without a processor an instance waits, and one pass of a processor advances it", async () => {
    const { workflows, my } = createFragments();
    await migrate(workflows);
    await migrate(my);
    await createSession({ workflows, my }, "s1");
    const instance = await workflows.workflows.session.get("s1");
    expect(await instance.status()).toMatchObject({ status: "queued" });
    await createDurableHooksProcessor([workflows, my]).process();
    expect(await instance.status()).toMatchObject({ status: "waiting" });
  });

  it("S1-013 the instance and the session are made together or not at all", async () => {
    const fragments = createFragments();
    await migrate(fragments.workflows);
    await migrate(fragments.my);
    const { services } = fragments.workflows;
    await fragments.my.$internal.deps.db.create("session", {
      id: "taken",
      agent: "bob",
      status: "active",
    });
    await expect(createSession(fragments, "taken")).rejects.toMatchObject({
      code: "UNIQUE_VIOLATION",
    });
    const status = fragments.workflows.inContext(async function () {
      await this.handlerTx()
        .withServiceCalls(() => [services.getInstanceStatus("session-workflow", "taken")])
        .execute();
    });
    await expect(status).rejects.toMatchObject({ code: "INSTANCE_NOT_FOUND" });
    await createSession(fragments, "s1");
    await expect(createSession(fragments, "s1", "eve")).rejects.toMatchObject({
      code: "INSTANCE_ID_ALREADY_EXISTS",
    });
    const sessions = await fragments.my.$internal.deps.db.find("session");
    expect(sessions.map(({ agent }) => agent).toSorted()).toEqual(["ada", "bob"]);
  });

  it("S1-009 S1-011 a factory without the service is refused by name", () => {
    const build = () =>
      createMyFragment({}, { databaseAdapter: adapter }, {} as { workflows: WorkflowServiceApi });
    expect(build).toThrow("workflows");
  });

  it("S1-012 where the service may be left out, the route says that it is missing", async () => {
    const optional = defineFragment("my-fragment")
      .extend(withDatabase(myFragmentSchema))
      .usesOptionalService<"workflows", WorkflowServiceApi>("workflows")
      .build();
    const fragment = instantiate(optional)
      .withConfig({})
      .withRoutes([myRoutesFactory])
      .withOptions({ databaseAdapter: adapter })
      .build();
    expect(
      await fragment.callRoute("POST", "/sessions", { body: { agentName: "ada" } }),
    ).toMatchObject({ type: "error", error: { code: "WORKFLOWS_REQUIRED" } });
  });

  it("S2-018 a batch that is refused answers as a single create does", async () => {
    const { workflows } = createFragments();
    await migrate(workflows);
    const post = async (path: string, body: object) => {
      const url = `http://test/api/workflows/workflows/${path}`;
      const headers = { "content-type": "application/json" };
      const answer = await workflows.handler(
        new Request(url, { method: "POST", headers, body: JSON.stringify(body) }),
      );
      const { code } = (await answer.json()) as { code: string };
      return { status: answer.status, code };
    };
    const refused = { id: "s1", params: { sessionId: 5 } };
    for (const [name, item] of [
      ["session-workflow", refused],
      ["session-workflow", { ...refused, id: "not an id" }],
      ["nobody", refused],
    ] as const) {
      const single = await post(`${name}/instances`, item);
      expect(single.status).toBeGreaterThanOrEqual(400);
      expect(await post(`${name}/instances/batch`, { instances: [item] })).toEqual(single);
    }
  });
});
