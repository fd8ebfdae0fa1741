/** Pause, resume, cancel, terminate, restart and retry by the services do the same as the store's own verbs, whatever the status. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INSTANCE_STATUSES, LIFECYCLE, type StoreCommand } from "@escapement/engine/internal";
import { defineWorkflow } from "./authoring.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const workflows = { ANY: defineWorkflow({ name: "any" }, () => null) } as const;
const COMMANDS = Object.keys(LIFECYCLE) as StoreCommand[];

/** The call that a caller makes. */
const toCall = (command: StoreCommand) =>
  command === "rollback"
    ? ({ verb: "terminate", options: { rollback: true } } as const)
    : command === "restartWithNewKeys"
      ? ({ verb: "restart", options: { newKeys: true } } as const)
      : ({ verb: command, options: {} } as const);

const CASES = INSTANCE_STATUSES.flatMap((status) =>
  COMMANDS.map((command) => ({ status, command })),
);

for (const server of SERVERS) {
  describe(`lifecycle on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows });
      const ids = CASES.flatMap(({ status, command }) =>
        ["service", "engine"].map((by) => `${status}-${command}-${by}`),
      );
      for (const id of ids) await scene.fragment.engine.createInstance("any", { id });
      for (const status of INSTANCE_STATUSES) {
        const where = `"instanceId" like '${status}-%'`;
        const isHeld = status === "running" || status === "waitingForPause";
        const diverged = `"diverged":[{"kind":"notCalled","stepKey":"s","recorded":"e","called":null}]`;
        const error =
          status === "errored"
            ? `, "errorName" = 'E', "errorMessage" = 'm', "errorDetail" = '{"code":"C",${diverged}}'`
            : `, "errorDetail" = '{${diverged}}'`;
        await scene.query(
          `update "workflow_instance_workflows" set "status" = '${status}', ` +
            `"pauseRequested" = ${status === "waitingForPause"}${error} where ${where}`,
        );
        await scene.query(
          isHeld || status === "queued" || status === "waiting"
            ? `update "workflow_task_workflows" set "status" = '${isHeld ? "processing" : "pending"}' where ${where}`
            : `delete from "workflow_task_workflows" where ${where}`,
        );
      }
    });
    afterAll(() => scene.close());

    const stateOf = async (id: string): Promise<unknown> => ({
      instance: await scene.query(
        `select "status", "runNumber", "keyNumber", "pauseRequested", "endRequested", "startedAt", "output", "errorName", "errorMessage", "errorDetail", ` +
          `"completedAt" is null as "open" from "workflow_instance_workflows" where "instanceId" = '${id}'`,
      ),
      tasks: await scene.query(
        `select "runNumber", "kind", "priority", "status", "attempts", "maxAttempts" ` +
          `from "workflow_task_workflows" where "instanceId" = '${id}'`,
      ),
    });
    const outcome = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        (details) => ({ details }),
        (error: { code: string }) => ({ code: error.code }),
      );

    test.each(CASES)("$command while $status", async ({ status, command }) => {
      const id = `${status}-${command}`;
      const { verb, options } = toCall(command);
      const byService = await outcome(
        scene.fragment.inContext(async function () {
          const [details] = await this.handlerTx()
            .withServiceCalls(
              () => [scene.fragment.services[verb]("any", `${id}-service`, options)] as const,
            )
            .execute();
          return details;
        }),
      );
      const byEngine = await outcome(
        scene.fragment.engine
          .control("any", `${id}-engine`, verb, options)
          .then(({ details }) => details),
      );
      expect(byService).toEqual(byEngine);
      expect(await stateOf(`${id}-service`)).toEqual(await stateOf(`${id}-engine`));
    });
  });
}
