/** Commands by the services leave children and notify parents like the store's own verbs, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OnParentEnd } from "@escapement/engine/internal";
import { defineWorkflow } from "./authoring.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const CHILD = defineWorkflow({ name: "child" }, (_event, step) =>
  step.waitForEvent("go", { type: "go" }),
);
const PARENT = defineWorkflow({ name: "parent" }, async ({ instanceId, payload }, step) =>
  step.invoke("child", { id: instanceId, onParentEnd: payload as OnParentEnd }),
);
const workflows = { CHILD, PARENT } as const;

const POLICIES = ["abandon", "terminate", "rollback"] as const;
const COMMANDS = ["terminate", "restart", "restartOrCreate"] as const;
const CASES = COMMANDS.flatMap((command) =>
  POLICIES.flatMap((policy) =>
    (["waiting", "paused"] as const).map((child) => ({ command, policy, child })),
  ),
);

for (const server of SERVERS) {
  describe(`children on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows });
    });
    afterAll(() => scene.close());

    const idsOf = (id: string): readonly string[] => [`${id}-service`, `${id}-engine`];
    const raise = async (id: string, policy: OnParentEnd): Promise<void> => {
      const { engine } = scene.fragment;
      for (const one of idsOf(id))
        await engine.createInstance("parent", { id: one, params: policy });
      await engine.tick();
    };
    type Command = (typeof COMMANDS)[number];
    const byService = (command: Command, workflow: string, id: string): Promise<unknown> =>
      scene.fragment.inContext(async function () {
        const { services } = scene.fragment;
        await this.handlerTx()
          .withServiceCalls(() => {
            if (command === "restartOrCreate")
              return [services.restartOrCreate(workflow, { id, params: "abandon" })] as const;
            return [services[command](workflow, id)] as const;
          })
          .execute();
      });
    const byEngine = (command: Command, workflow: string, id: string): Promise<unknown> =>
      command === "restartOrCreate"
        ? scene.fragment.engine.restartOrCreate(workflow, { id, params: "abandon" })
        : scene.fragment.engine.control(workflow, id, command);

    const stateOf = async (id: string): Promise<unknown> => ({
      instances: await scene.query(
        `select "workflowName", "status", "runNumber", "pauseRequested", "endRequested" ` +
          `from "workflow_instance_workflows" where "instanceId" = '${id}' order by "workflowName"`,
      ),
      tasks: await scene.query(
        `select "workflowName", "runNumber", "kind", "priority", "status", "runAt" <= ` +
          `${scene.database.dialect.now} as "isDue" from "workflow_task_workflows" where "instanceId" = '${id}' order by "workflowName"`,
      ),
      events: await scene.query(
        `select "workflowName", "runNumber", replace("type", '${id}', 'ID') as "type", replace("eventId", '${id}', 'ID') as "eventId", ` +
          `"payload", "sizeBytes", "deliveredAt" from "workflow_event_workflows" where "instanceId" = '${id}'`,
      ),
    });

    test.each(CASES)(
      "S6-012 $command of a parent asks a child that is $child to end as onParentEnd $policy says",
      async ({ command, policy, child }) => {
        const id = `${command}-${policy}-${child}`;
        await raise(id, policy);
        for (const one of idsOf(id))
          if (child === "paused") await scene.fragment.engine.control("child", one, "pause");
        await byService(command, "parent", `${id}-service`);
        await byEngine(command, "parent", `${id}-engine`);
        const state = await stateOf(`${id}-service`);
        expect(state).toEqual(await stateOf(`${id}-engine`));
        const endRequested = policy === "abandon" ? null : policy;
        expect(state).toMatchObject({ instances: [{ endRequested }, {}] });
        await scene.fragment.engine.tick();
      },
    );

    test("S6-012 a child that is terminated is told to its parent, which goes on", async () => {
      await raise("told", "abandon");
      await byService("terminate", "child", "told-service");
      await byEngine("terminate", "child", "told-engine");
      const state = await stateOf("told-service");
      expect(state).toEqual(await stateOf("told-engine"));
      expect(state).toMatchObject({ events: [{ type: "child ID child" }] });
      await scene.fragment.engine.tick();
      for (const id of idsOf("told")) {
        const { details } = await scene.fragment.engine.getInstance("parent", id);
        expect(details).toMatchObject({ status: "errored", error: { code: "CHILD_TERMINATED" } });
      }
    });
  });
}
