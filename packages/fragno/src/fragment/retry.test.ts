/** Retry by the service reopens the same steps as the store's own verb, on real databases, and the run continues. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "./authoring.ts";
import { openScene, type Scene } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const ONCE = { retries: { limit: 0, delay: 0 } };
const broken = new Set<string>();
const ran: string[] = [];

const body = (name: string) => (): string => {
  ran.push(name);
  if (broken.has(name)) throw new RangeError(`${name} is broken`);
  return name;
};

const FLAKY = defineWorkflow({ name: "flaky" }, async (_event, step) => {
  const caught = await step.do("caught", ONCE, body("caught")).catch(() => "instead");
  const word = step.waitForEvent("word", { type: "word", timeout: "1 hour" });
  const nap = step.sleep("nap", "1 hour");
  await step.sleep("soon", "1 minute");
  const all = await step.join("all", {
    a: (s) => s.do("one", ONCE, body("a")),
    b: (s) =>
      s.loop("l", { commitEvery: 1, run: (own) => own.do("one", ONCE, body("b")).then(end) }),
    c: (s) => s.do("one", ONCE, body("c")),
  });
  await nap;
  return [caught, all.c, (await word).payload];
});

const end = (): never => {
  throw new RangeError("the loop is broken");
};

for (const server of SERVERS) {
  describe(`retry on ${server.name}`, () => {
    let scene: Scene<{ readonly FLAKY: typeof FLAKY }>;
    beforeAll(async () => {
      // Steps settle at the same instant in both runs.
      const host = { elapsedMs: () => 0 };
      scene = await openScene(server, { workflows: { FLAKY }, host });
    });
    afterAll(() => scene.close());

    const retry = (id: string, options = {}): Promise<unknown> =>
      scene.fragment.inContext(async function () {
        const [details] = await this.handlerTx()
          .withServiceCalls(() => [scene.fragment.services.retry("flaky", id, options)] as const)
          .execute();
        return details;
      });
    const stepsOf = async (id: string) => {
      const { dialect } = scene.database;
      const read = (column: string): string => dialect.toMs(`"${column}"`);
      return scene.query(
        `select "stepKey", "type", "status", "attempts", "lostAttempts", "result", "errorName", "errorMessage", ` +
          `"settledOrder", "startedKeys", "_version", ${read("wakeAt")} as "wakeAt", ${read("nextRetryAt")} as "nextRetryAt", ` +
          `${read("updatedAt")} as "updatedAt" from "workflow_step_workflows" where "instanceId" = '${id}' order by "stepKey"`,
      );
    };

    test("S6-021 the service opens what the engine's verb opens, in a transaction", async () => {
      for (const name of ["caught", "a", "b", "c"]) broken.add(name);
      for (const id of ["service", "engine"])
        await scene.fragment.engine.createInstance("flaky", { id });
      await scene.fragment.engine.tick();
      await scene.clock.advance(60_000);
      await scene.fragment.engine.tick();
      expect((await scene.fragment.engine.getInstance("flaky", "service")).details.status).toBe(
        "errored",
      );
      await scene.clock.advance(10_000);
      expect(await retry("service")).toEqual({ status: "queued", runNumber: 1 });
      await scene.fragment.engine.control("flaky", "engine", "retry");
      const steps = await stepsOf("service");
      expect(steps).toEqual(await stepsOf("engine"));
      expect(
        steps.map(({ stepKey, status }) => `${String(stepKey)} ${String(status)}`).toSorted(),
      ).toEqual([
        "all pending",
        "all/a/one waiting",
        "all/b/l running",
        "all/b/l/~0/one waiting",
        "all/c/one waiting",
        "caught errored",
        "nap waiting",
        "soon completed",
        "word waiting",
      ]);
      await expect(retry("service")).rejects.toMatchObject({ code: "INSTANCE_NOT_ERRORED" });
    });

    test("S6-021 a retried run goes on and fails where it is still broken, and completes where it is not", async () => {
      ran.length = 0;
      for (const name of ["caught", "a", "c"]) broken.delete(name);
      await scene.fragment.engine.tick();
      const { details } = await scene.fragment.engine.getInstance("flaky", "service");
      expect(details).toMatchObject({ status: "errored", error: { code: "JOIN_FAILED" } });
      expect(ran.toSorted()).toEqual(["a", "a", "b", "b", "c", "c"]);
    });

    test("S6-021 under a key the service retries once", async () => {
      const queued = { status: "queued", runNumber: 1 };
      expect(await retry("service", { idempotencyKey: "k" })).toEqual(queued);
      await scene.fragment.engine.tick();
      expect(await retry("service", { idempotencyKey: "k" })).toMatchObject({ status: "errored" });
      await expect(retry("service", { ifRunNumber: 2 })).rejects.toMatchObject({
        code: "RUN_NUMBER_MISMATCH",
      });
    });
  });
}
