/** Rewind and fork by the services do the same as the store's own verbs, in any transaction, on real databases. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TxResult } from "@fragno-dev/db";
import { type InstanceStatus, Loop } from "@escapement/engine";
import { defineWorkflow, type StepTx, type WorkflowStep } from "../index.ts";
import { callService, openScene, type Scene, shopSchema } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const ran: string[] = [];
const note =
  (name: string) =>
  ({ idempotencyKey }: StepTx): string => {
    ran.push(`${name} ${idempotencyKey}`);
    return name;
  };

const CHILD = defineWorkflow({ name: "child" }, (_event, step) =>
  step.waitForEvent("go", { type: "go" }),
);
const LONG = defineWorkflow({ name: "long" }, async (event, step: WorkflowStep) => {
  await step.do("first", { undo: () => undefined }, note("first"));
  const word = await step.waitForEvent("word", { type: "word" });
  await step.join("both", {
    a: (s) => s.do("one", note("a")),
    b: (s) =>
      s
        .loop("l", {
          commitEvery: 1,
          state: 0,
          run: async (own, state) => {
            await own.do("turn", note(`turn ${state}`));
            if (state === 2) throw new RangeError("enough");
            return Loop.continue(state + 1);
          },
        })
        .catch(() => null),
  });
  await step.invoke("child", { id: `${event.instanceId}-child`, onParentEnd: "terminate" });
  return word.payload;
});
/** The services that `OPERATOR` calls; they exist only once the fragment does. */
let rewindLong: (id: string) => TxResult<InstanceStatus>;
const OPERATOR = defineWorkflow({ name: "operator" }, async (event, step: WorkflowStep) => {
  await step.do("rewind", (tx) => tx.serviceCalls(() => [rewindLong(event.payload as string)]));
});
const FAILS = defineWorkflow({ name: "fails" }, async (_event, step: WorkflowStep) => {
  await step.do("first", note("first"));
  await step.do("last", { retries: { limit: 0, delay: 0 } }, () => {
    throw new RangeError("no");
  });
});
const workflows = { CHILD, LONG, FAILS, OPERATOR } as const;

/** Without the names of the instance and of event rows. */
const anonymous = (state: object): unknown =>
  JSON.parse(
    JSON.stringify(state)
      .replaceAll(/-(service|engine)\b/gu, "-ID")
      .replaceAll(/\\"id\\":\\"[^"\\]*\\"/gu, ""),
  );

for (const server of SERVERS) {
  describe(`rewind and fork on ${server.name}`, () => {
    let scene: Scene<typeof workflows>;
    beforeAll(async () => {
      scene = await openScene(server, { workflows, host: { elapsedMs: () => 0 } });
    });
    afterAll(() => scene.close());

    const call = (make: () => unknown): Promise<unknown> => callService(scene.fragment, make);
    const both = (id: string): readonly string[] => [`${id}-service`, `${id}-engine`];
    const raise = async (id: string): Promise<void> => {
      const { engine } = scene.fragment;
      for (const one of both(id)) {
        await engine.createInstance("long", { id: one, params: { id } });
        await engine.sendEvent("long", one, { type: "word", payload: "w", eventId: "e" });
      }
      await engine.tick();
      await engine.tick();
    };
    const stateOf = async (id: string): Promise<unknown> => {
      const of = `where "instanceId" = '${id}'`;
      return anonymous({
        instance: await scene.query(
          `select "status", "runNumber", "keyNumber", "pauseRequested", "endRequested", "params", "output", "errorName", ` +
            `"completedAt" is null as "open" from "workflow_instance_workflows" ${of}`,
        ),
        steps: await scene.query(
          `select "stepKey", "type", "status", "attempts", "result", "settledOrder", "waitEventType", "startedKeys" is null as "named" ` +
            `from "workflow_step_workflows" ${of} order by "stepKey"`,
        ),
        events: await scene.query(
          `select "type", "payload", "eventId", "deliveredAt" is null as "held", "consumedByStepKey", "sizeBytes" ` +
            `from "workflow_event_workflows" ${of} order by "createdAt", "type"`,
        ),
        task: await scene.query(
          `select "runNumber", "kind", "priority", "status", "attempts" from "workflow_task_workflows" ${of}`,
        ),
        child: await scene.query(
          `select "status", "endRequested" from "workflow_instance_workflows" where "instanceId" = '${id}-child'`,
        ),
      });
    };
    const outcome = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        (details) => ({ details }),
        (error: { code: string }) => ({ code: error.code }),
      );

    const STEPS = ["first", "word", "both", "both/a/one", "both/b/l/~1/turn", "child", "nothing"];
    test.each(STEPS)(
      "S6-022 a rewind to %s by the service is that of the engine",
      async (stepKey) => {
        const id = `rewind-${STEPS.indexOf(stepKey)}`;
        await raise(id);
        const { engine, services } = scene.fragment;
        const before = await stateOf(`${id}-service`);
        const byService = await outcome(
          call(() => services.rewind("long", `${id}-service`, stepKey)),
        );
        const byEngine = await outcome(
          engine.rewind("long", `${id}-engine`, stepKey).then(({ details }) => details),
        );
        expect(byService).toEqual(byEngine);
        const after = await stateOf(`${id}-service`);
        expect(after).toEqual(await stateOf(`${id}-engine`));
        expect(JSON.stringify(after) === JSON.stringify(before)).toBe(
          "code" in (byService as object),
        );
      },
    );

    test("S6-021 a retry from a step by the service is that of the engine", async () => {
      const { engine, services } = scene.fragment;
      const [service, own] = both("again") as [string, string];
      for (const id of [service, own]) await engine.createInstance("fails", { id });
      for (const from of ["first", "last", "nothing", undefined]) {
        await engine.tick();
        const options = { idempotencyKey: "k", ...(from === undefined ? {} : { from }) };
        const byService = await outcome(call(() => services.retry("fails", service, options)));
        const byEngine = await outcome(
          engine.control("fails", own, "retry", options).then(({ details }) => details),
        );
        expect({ from, byService }).toEqual({ from, byService: byEngine });
        expect(await stateOf(service)).toEqual(await stateOf(own));
      }
    });

    test.each(STEPS)(
      "S6-022 a fork at %s by the service is that of the engine",
      async (stepKey) => {
        const id = `fork-${STEPS.indexOf(stepKey)}`;
        await raise(id);
        const { engine, services } = scene.fragment;
        const [service, own] = both(`${id}-copy`) as [string, string];
        const byService = await outcome(
          call(() => services.fork("long", `${id}-service`, stepKey, { id: service })),
        );
        const byEngine = await outcome(engine.fork("long", `${id}-engine`, stepKey, { id: own }));
        const say = (value: unknown): string =>
          JSON.stringify(value).replaceAll("-service", "-engine");
        expect(say(byService)).toBe(say(byEngine));
        expect(await stateOf(service)).toEqual(await stateOf(own));
      },
    );

    test("S6-022 a rewind stands or falls with the transaction that it is in, and costs it two trips", async () => {
      await raise("tx");
      const { services } = scene.fragment;
      const rewindWith = (number: string): Promise<unknown> =>
        scene.shop.inContext(async function () {
          await this.handlerTx()
            .withServiceCalls(() => [services.rewind("long", "tx-service", "word")] as const)
            .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number }))
            .execute();
        });
      await scene.shop.inContext(async function () {
        await this.handlerTx()
          .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number: "taken" }))
          .execute();
      });
      const before = await stateOf("tx-service");
      await expect(rewindWith("taken")).rejects.toMatchObject({ code: "UNIQUE_VIOLATION" });
      expect(await stateOf("tx-service")).toEqual(before);
      const [trips] = await scene.countTrips(() => rewindWith("free"));
      expect(trips).toBe(2);
      ran.length = 0;
      await scene.fragment.engine.tick();
      expect(ran.map((line) => line.split(" ")[0])).toContain("a");
      expect(ran.some((line) => line.startsWith("first"))).toBe(false);
    });

    test("S6-022 a run that moved on between read and write is looked at again", async () => {
      await raise("raced");
      const { services, engine } = scene.fragment;
      scene.beforeNext(/insert into "workflow_event_workflows"/u, () =>
        engine.control("long", "raced-service", "restart"),
      );
      await expect(
        call(() => services.rewind("long", "raced-service", "word")),
      ).rejects.toMatchObject({ code: "STEP_NOT_FOUND" });
      scene.beforeNext(/insert into "workflow_instance_workflows"/u, () =>
        engine.createInstance("long", { id: "raced-copy" }),
      );
      await expect(
        call(() => services.fork("long", "raced-engine", "word", { id: "raced-copy" })),
      ).rejects.toMatchObject({ code: "INSTANCE_ID_ALREADY_EXISTS" });
    });

    test("S6-022 conditions and keys hold, and options that nobody reads are refused", async () => {
      await raise("keyed");
      const { services } = scene.fragment;
      const rewind = (options: object): Promise<unknown> =>
        outcome(call(() => services.rewind("long", "keyed-service", "word", options)));
      expect(await rewind({ ifRunNumber: 2 })).toEqual({ code: "RUN_NUMBER_MISMATCH" });
      expect(await rewind({ ifStatus: ["paused"] })).toEqual({ code: "STATUS_MISMATCH" });
      expect(await rewind({ ifstatus: [] })).toEqual({ code: "UNKNOWN_OPTION" });
      expect(await rewind({ idempotencyKey: "k" })).toMatchObject({
        details: { status: "queued" },
      });
      await scene.fragment.engine.tick();
      const after = await stateOf("keyed-service");
      expect(await rewind({ idempotencyKey: "k" })).toMatchObject({ details: {} });
      expect(await stateOf("keyed-service")).toEqual(after);
      const other = call(() =>
        services.rewind("long", "keyed-service", "first", { idempotencyKey: "k" }),
      );
      expect(await outcome(other)).toEqual({ code: "IDEMPOTENCY_KEY_CONFLICT" });
      expect(await stateOf("keyed-service")).toEqual(after);
      const update = (tag: string): Promise<unknown> =>
        outcome(
          call(() =>
            services.update("long", "keyed-service", { tags: [tag], idempotencyKey: "u" }),
          ),
        );
      expect(await update("a")).toMatchObject({ details: { tags: ["a"] } });
      expect(await update("b")).toEqual({ code: "IDEMPOTENCY_KEY_CONFLICT" });
      expect(await update("a")).toMatchObject({ details: { tags: ["a"] } });
      const fork = (options: object): Promise<unknown> =>
        outcome(call(() => services.fork("long", "keyed-engine", "word", options)));
      const made = { id: "keyed-fork", instanceRowId: "row-of-a-key" };
      const view = { id: "keyed-fork", details: { status: "queued", runNumber: 1 } };
      expect(await fork(made)).toMatchObject({ details: view });
      expect(await fork(made)).toMatchObject({ details: { id: "keyed-fork" } });
      expect(await fork({ ...made, params: 5 })).toEqual({ code: "IDEMPOTENCY_KEY_CONFLICT" });
      expect(await fork({ id: "keyed-fork" })).toEqual({ code: "INSTANCE_ID_ALREADY_EXISTS" });
      expect(await fork({ paramz: 1 })).toEqual({ code: "UNKNOWN_OPTION" });
    });

    test("S6-022 a step rewinds another instance, in the commit of its record", async () => {
      await raise("steered");
      const { services, engine } = scene.fragment;
      rewindLong = (id) => services.rewind("long", id, "word");
      await engine.createInstance("operator", { id: "o", params: "steered-service" });
      await engine.tick();
      expect((await engine.getInstance("operator", "o")).details.status).toBe("complete");
      const told = await scene.query(
        `select "type" from "workflow_event_workflows" where "instanceId" = 'steered-service' and "type" like 'rewind %'`,
      );
      expect(told).toEqual([{ type: "rewind word" }]);
    });

    test("S6-022 many rewinds at once leave one run, whose bodies run once", async () => {
      await raise("many");
      const { services, engine } = scene.fragment;
      const results = await Promise.allSettled(
        [1, 2, 3, 4].map(() => call(() => services.rewind("long", "many-service", "word"))),
      );
      const refusals = results.flatMap((one) =>
        one.status === "rejected" ? [(one.reason as { code: string }).code] : [],
      );
      expect(refusals).toEqual(["STEP_NOT_FOUND", "STEP_NOT_FOUND", "STEP_NOT_FOUND"]);
      const tasks = await scene.query(
        `select 1 from "workflow_task_workflows" where "instanceId" = 'many-service'`,
      );
      expect(tasks).toHaveLength(1);
      ran.length = 0;
      await engine.tick();
      expect(ran.filter((line) => line.startsWith("a "))).toHaveLength(1);
    });
  });
}
