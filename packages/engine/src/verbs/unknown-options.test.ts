import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine, defineWorkflow, WorkflowEntrypoint, type WorkflowStep } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createHarness } from "../testing/harness.ts";

const unknown = (name: string, nearest: string) => ({
  code: "UNKNOWN_OPTION",
  details: { name, nearest },
  message: expect.stringMatching(`"${name}" is not an option of .*; did you mean "${nearest}"`),
});
/** As a JavaScript caller would write it. */
const untyped = (options: object): never => options as never;

const untypedList = (...given: readonly unknown[]): [never, never] => given as [never, never];
const thrown = (end: object): Promise<never> => Promise.reject("error" in end ? end.error : end);

describe("S5-045 an option that nothing reads is refused, with the one that was most likely meant", () => {
  class Billing extends WorkflowEntrypoint {
    run = async (): Promise<void> => {};
  }
  const store = createMemoryStore();
  const workflows = {};

  it.each([
    [{ store, worklows: {}, workflows }, "worklows", "workflows"],
    [{ store, workflows, concurency: 3 }, "concurency", "concurrency"],
    [{ store, workflows, limits: { maxStepPerRun: 3 } }, "maxStepPerRun", "maxStepsPerRun"],
    [{ store, workflows, http: { authorize: () => {} } }, "authorize", "authorizeRequest"],
    [{ store, workflows, http: { tick: { bearer: "x" } } }, "bearer", "bearerSecret"],
    [{ store, workflows, http: { policies: { deletes: () => {} } } }, "deletes", "delete"],
    [{ store, workflows, http: { limits: { maxBody: 1 } } }, "maxBody", "maxBodyBytes"],
    [{ store, workflows: { B: { name: "b", workflow: Billing, shema: 1 } } }, "shema", "schema"],
    [
      { store, workflows: { B: { name: "b", workflow: Billing, retries: { limits: 1 } } } },
      "limits",
      "limit",
    ],
  ])("of createEngine: %#", (options, name, nearest) => {
    expect(() => createEngine(untyped(options))).toThrow(
      expect.objectContaining(unknown(name, nearest)),
    );
  });

  it.each([
    ["authorizeRequest", { authorizeRequest: "secret" }],
    ["authorizeRequest", { authorizeRequest: null }],
    ["policies.manage", { policies: { manage: true } }],
  ])("an authorizer that is no function does not wait for the first request: %s", (path, http) => {
    expect(() => createEngine(untyped({ store, workflows, http }))).toThrow(
      expect.objectContaining({
        code: "DEPLOY_OPTIONS_INVALID",
        details: { path, expected: "a function, such as bearerAuth gives" },
      }),
    );
  });

  it("of defineWorkflow and its retries", () => {
    const define = (options: object) => () => defineWorkflow(untyped(options), () => 1);
    expect(define({ name: "w", shcema: z.string() })).toThrow(
      expect.objectContaining(unknown("shcema", "schema")),
    );
    expect(define({ name: "w", retries: { limit: 1, delayMs: 5 } })).toThrow(
      expect.objectContaining(unknown("delayMs", "delay")),
    );
  });

  it.each([
    ["step.do", { retry: 3 }, "retry", "retries"],
    ["its retries", { retries: { limit: 1, jiter: 0.5 } }, "jiter", "jitter"],
  ])("of %s", async (_what, config, name, nearest) => {
    const told: unknown[] = [];
    const typo = defineWorkflow({ name: "typo" }, async (_event, step) => {
      await step.do("a", untyped(config), () => 1).catch((error: unknown) => told.push(error));
    });
    const harness = createHarness({ workflows: { TYPO: typo } });
    await harness.workflows.TYPO.create();
    await harness.runUntilIdle();
    expect(told).toEqual([expect.objectContaining(unknown(name, nearest))]);
  });

  it.each<[string, string, (step: WorkflowStep) => Promise<unknown>]>([
    ["no body", "got neither", (step) => step.do("a", ...untypedList())],
    ["options alone", "got object", (step) => step.do("a", ...untypedList({ timeout: 5 }))],
    [
      "options last",
      "got function and then object",
      (step) => step.do("a", ...untypedList(() => 1, { timeout: 5 })),
    ],
    [
      "two bodies",
      "got function and then function",
      (step) =>
        step
          .tryDo(
            "a",
            ...untypedList(
              () => 1,
              () => 2,
            ),
          )
          .then(thrown),
    ],
  ])("of step.do, given in another order: %s", async (_what, said, call) => {
    const told: unknown[] = [];
    const mixed = defineWorkflow({ name: "mixed" }, async (_event, step) => {
      await call(step).catch((error: unknown) => told.push(error));
    });
    const harness = createHarness({ workflows: { MIXED: mixed } });
    await harness.workflows.MIXED.create();
    await harness.runUntilIdle();
    expect(told).toEqual([
      expect.objectContaining({ code: "INVALID_SCOPE", message: expect.stringContaining(said) }),
    ]);
  });

  it("of waits; uncaught, it fails the instance at once in place of after a day", async () => {
    const typo = defineWorkflow({ name: "typo" }, async (_event, step) => {
      await step.waitForEvent("a", untyped({ type: "go", timout: "1 hour" }));
    });
    const harness = createHarness({ workflows: { TYPO: typo } });
    const instance = await harness.workflows.TYPO.create();
    await harness.runUntilIdle();
    await expect(instance.result()).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
      message: '"timout" is not an option of waitForEvent; did you mean "timeout"?',
    });
  });

  it("of what is asked of instances", async () => {
    const { workflows: bound, engine } = createHarness({
      workflows: { W: defineWorkflow({ name: "w" }, () => 1) },
    });
    const instance = await bound.W.create({ id: "x" });
    await expect(bound.W.create(untyped({ parms: 1 }))).rejects.toMatchObject(
      unknown("parms", "params"),
    );
    await expect(bound.W.createBatch([untyped({ id: "a", param: 1 })])).rejects.toMatchObject(
      unknown("param", "params"),
    );
    await expect(instance.sendEvent(untyped({ type: "go", paylod: 1 }))).rejects.toMatchObject(
      unknown("paylod", "payload"),
    );
    await expect(instance.pause(untyped({ ifRun: 1 }))).rejects.toMatchObject(
      unknown("ifRun", "ifRunNumber"),
    );
    await expect(instance.result(untyped({ timeoutMs: 1 }))).rejects.toMatchObject(
      unknown("timeoutMs", "timeout"),
    );
    expect(() => engine.startLoop(untyped({ pollMS: 1 }))).toThrow(
      expect.objectContaining(unknown("pollMS", "pollMs")),
    );
  });

  it.each(["orderId", "price", "item", "tagged", "customer"])(
    "params beside the options are told where they belong: %s",
    async (name) => {
      const W = defineWorkflow({ name: "w" }, () => 1);
      const { workflows: bound } = createHarness({ workflows: { W } });
      const says = `"${name}" is not an option of `;
      const refused = {
        code: "UNKNOWN_OPTION",
        message: expect.stringContaining(`; params go under "params": { params: { ${name}: … } };`),
      };
      const given = untyped({ [name]: 1 });
      await expect(bound.W.create(given)).rejects.toMatchObject(refused);
      await expect(bound.W.execute(given)).rejects.toMatchObject(refused);
      const other = bound.W.restartOrCreate(untyped({ id: "x", [name]: 1 }));
      await expect(other).rejects.toMatchObject({
        ...refused,
        message: expect.stringMatching(`^${says}restartOrCreate; params go under`),
      });
    },
  );

  it.each<[string, (step: WorkflowStep, child: never) => Promise<unknown>, string]>([
    [
      "a name and then the workflow",
      (step, child) => step.invoke("ship it", child),
      'step.invoke takes a workflow and then options: step.invoke(workflow, { name: "ship it" }); got a workflow second',
    ],
    [
      "a name, the workflow, and options",
      (step, child) => step.invoke("ship it", ...([child, { params: 1 }] as never as [never])),
      'step.invoke takes a workflow and then options: step.invoke(workflow, { name: "ship it" }); got a workflow second',
    ],
    [
      "neither a workflow nor a name",
      (step) => step.invoke(untyped({ workflow: "ship" })),
      "step.invoke takes a workflow and then options: step.invoke(workflow, { name: … }); got object first",
    ],
    [
      "nothing",
      (step) => step.invoke(...untypedList()),
      "step.invoke takes a workflow and then options: step.invoke(workflow, { name: … }); got undefined first",
    ],
    [
      "a name and then a function",
      (step) =>
        step.invoke(
          "ship",
          untyped(() => 1),
        ),
      "step.invoke takes an object with params, id, name, onParentEnd, deadline, deadlineAt, tags, memo; got a function",
    ],
    [
      "params in place of options",
      (step, child) => step.invoke(child, untyped({ orderId: 1 })),
      '"orderId" is not an option of step.invoke; params go under "params": { params: { orderId: … } }; the options are ' +
        "params, id, name, onParentEnd, deadline, deadlineAt, tags, memo",
    ],
    [
      "a text in place of options",
      (step, child) => step.invoke(child, untyped("params" as never)),
      "step.invoke takes an object with params, id, name, onParentEnd, deadline, deadlineAt, tags, memo; got a string",
    ],
  ])("of step.invoke, given otherwise: %s", async (_what, call, says) => {
    const told: unknown[] = [];
    const SHIP = defineWorkflow({ name: "ship" }, () => 1);
    const W = defineWorkflow({ name: "w" }, async (_event, step) => {
      await call(step, SHIP as never).catch((error: unknown) => told.push(error));
    });
    const harness = createHarness({ workflows: { W, SHIP } });
    await harness.workflows.W.create();
    await harness.runUntilIdle();
    const code = says.endsWith("first") ? "INVALID_STEP_NAME" : "UNKNOWN_OPTION";
    expect(told).toMatchObject([{ code, message: says }]);
  });

  it("one that is like none is told what there is, and so is a text in place of options", async () => {
    const echo = defineWorkflow({ name: "echo" }, async (_event, step) => {
      await step.waitForEvent("word", { type: "word" });
    });
    const harness = createHarness({ workflows: { ECHO: echo } });
    await expect(
      harness.workflows.ECHO.create(untyped({ email: "ada@example.com" })),
    ).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
      message:
        '"email" is not an option of create; params go under "params": { params: { email: … } }; the options are ' +
        "id, params, startAt, delay, onExisting, idempotencyKey, deadline, deadlineAt, tags, memo",
    });
    const instance = await harness.workflows.ECHO.create();
    await expect(instance.sendEvent(untyped("word" as never))).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
      message: expect.stringMatching(/^sendEvent takes an object with type, .*; got a string$/),
    });
    const { ECHO } = harness.workflows;
    await expect(ECHO.create(untyped([{ id: "a" }]))).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
      message: expect.stringMatching(/^create takes an object with id, .*; got an array$/),
    });
    await expect(ECHO.createBatch(untyped({ id: "a" }))).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("a list of instances"),
    });
    await expect(instance.result(untyped("10 seconds" as never))).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
  });
});
