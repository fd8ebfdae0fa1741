/** `restartOrCreate` as a service and through the fragment's own handles, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineWorkflow } from "./authoring.ts";
import type { IdentifiedRestartOrCreate } from "./services/restart-or-create.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const schema = z.object({ n: z.number() });
const workflows = { N: defineWorkflow({ name: "n", schema }, ({ payload }) => payload.n) } as const;

for (const server of SERVERS) {
  describe(`restart or create on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows, onWorkflowEnqueued: () => undefined });
    });
    afterAll(() => scene.close());

    const ask = (id: string, n: number, more: Partial<IdentifiedRestartOrCreate> = {}) =>
      scene.fragment.inContext(async function () {
        const input = { id, params: { n }, ...more };
        const [answer] = await this.handlerTx()
          .withServiceCalls(() => [scene.fragment.services.restartOrCreate("n", input)] as const)
          .execute();
        return answer;
      });
    const queued = (id: string, outcome: string, runNumber: number) => ({
      id,
      outcome,
      details: { status: "queued", runNumber },
    });

    test("S6-022 the service creates, restarts with the new params, and leaves alone", async () => {
      expect(await ask("a", 1)).toEqual(queued("a", "created", 1));
      expect(await ask("a", 2)).toEqual(queued("a", "restarted", 2));
      expect(await ask("a", 3, { ifRunNumber: 1 })).toEqual(queued("a", "unchanged", 2));
      expect(await ask("a", 3, { ifStatus: ["complete"] })).toEqual(queued("a", "unchanged", 2));
      await scene.fragment.engine.tick();
      expect((await scene.fragment.engine.getInstance("n", "a")).details).toMatchObject({
        status: "complete",
        output: 2,
      });
      expect(await ask("a", 3, { ifStatus: ["complete"] })).toEqual(queued("a", "restarted", 3));
      await expect(ask("a", "x" as never)).rejects.toMatchObject({ code: "INVALID_PARAMS" });
    });

    test("S6-022 the fragment's handle goes the same way, and under a key does nothing twice", async () => {
      const { N } = scene.fragment.workflows;
      const made = { id: "b", params: { n: 1 }, idempotencyKey: "k" };
      expect((await N.restartOrCreate(made)).outcome).toBe("created");
      expect((await N.restartOrCreate(made)).outcome).toBe("created");
      const again = { id: "b", params: { n: 5 }, idempotencyKey: "l" };
      expect((await N.restartOrCreate(again)).outcome).toBe("restarted");
      const { outcome, instance } = await N.restartOrCreate(again);
      await scene.fragment.engine.tick();
      expect([outcome, await instance.status()]).toMatchObject([
        "restarted",
        { status: "complete", runNumber: 2, output: 5 },
      ]);
    });

    test("S6-022 of services at the same time one creates and the others restart", async () => {
      const answers = await Promise.all([1, 2, 3].map((n) => ask("c", n)));
      expect(answers.map(({ outcome }) => outcome).toSorted()).toEqual([
        "created",
        "restarted",
        "restarted",
      ]);
      const tasks = await scene.query(
        `select "runNumber" from "workflow_task_workflows" where "instanceId" = 'c'`,
      );
      expect(tasks.map(({ runNumber }) => Number(runNumber))).toEqual([3]);
    });
  });
}
