/** Children: started once, waited for, told of once, and ended with their parents where that was asked for. */
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { defineWorkflow, RollbackError, WorkflowError, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import type { InvokeOptions } from "../authoring/invoke.ts";

type Author = (step: WorkflowStep, params: never) => unknown;

const define = (name: string, run: Author) =>
  defineWorkflow({ name }, async (event, step) => run(step, event.payload as never));

/** A parent `p` and its child workflow `c`, both of which a test writes. */
async function createFamily(parent: Author, child: Author) {
  const workflows = { P: define("p", parent), C: define("c", child) };
  const harness = createHarness({ workflows });
  const instance = await harness.workflows.P.create({ id: "x" });
  await harness.runUntilIdle();
  const children = async () => (await harness.engine.listInstances("c", {})).instances;
  return { harness, instance, children, status: () => harness.status("p", "x") };
}

/** What was thrown, as its code and that of its cause. */
async function codes(call: () => Promise<unknown>): Promise<readonly unknown[]> {
  try {
    return [await call()];
  } catch (error) {
    if (!WorkflowError.is(error)) return [String(error)];
    const { cause } = error;
    return [
      error.code,
      WorkflowError.is(cause) ? cause.code : (cause as Error | undefined)?.message,
    ];
  }
}

const waitForGo = (step: WorkflowStep): Promise<unknown> => step.waitForEvent("go", { type: "go" });

describe("S6-012 S3-056 a child", () => {
  test("S6-012 S3-056 gives its output, decoded, to the step that waits for it", async () => {
    const { status, children } = await createFamily(
      async (step) => {
        const at: { readonly at: Date } = await step.invoke("c", { params: { n: 2 } });
        return at.at instanceof Date && at;
      },
      (step, params: { readonly n: number }) =>
        step.do("double", () => ({ at: new Date(params.n * 2) })),
    );
    expect(await status()).toMatchObject({ status: "complete", output: { at: new Date(4) } });
    expect(await children()).toMatchObject([
      {
        details: {
          status: "complete",
          parent: { workflowName: "p", instanceId: "x", runNumber: 1 },
        },
      },
    ]);
  });

  test("S6-012 has an id that follows from the step, which history shows while it is under way and after", async () => {
    const { harness, children } = await createFamily((step) => step.invoke("c"), waitForGo);
    const [child] = await children();
    const ref = { workflowName: "c", instanceId: child?.id };
    const shown = async () => (await harness.history("p", "x")).steps;
    expect(await shown()).toMatchObject([{ stepKey: "c", status: "waiting", result: ref }]);
    await harness.sendEvent("c", child?.id ?? "", { type: "go" });
    await harness.runUntilIdle();
    expect(await shown()).toMatchObject([
      { stepKey: "c", status: "completed", result: { ...ref, status: "complete" } },
    ]);
  });

  test("S6-012 that fails, or is terminated, fails the step, whose cause is the child's own error", async () => {
    const told: unknown[] = [];
    const { harness, children } = await createFamily(
      async (step) => {
        told.push(await codes(() => step.invoke("c", { params: "fail" })));
        told.push(await codes(() => step.invoke("c", { params: "wait", id: "waits" })));
      },
      (step, params) => {
        if (params === "fail") throw new Error("no money");
        return waitForGo(step);
      },
    );
    await harness.workflows.C.get("waits").then((child) => child.terminate());
    await harness.runUntilIdle();
    expect(await children()).toMatchObject([{ details: { status: "terminated" } }, {}]);
    expect(told.at(-2)).toEqual(["CHILD_FAILED", "no money"]);
    expect(told.at(-1)).toEqual(["CHILD_TERMINATED", undefined]);
  });

  test("S6-012 that its parent left is ended without a word to its code, which would go on else", async () => {
    let plays = 0;
    const { harness, instance, children } = await createFamily(
      (step) => step.invoke("c", { onParentEnd: "terminate" }),
      (step) => {
        plays += 1;
        return plays === 1 ? waitForGo(step) : "done";
      },
    );
    await instance.terminate();
    await harness.runUntilIdle();
    expect(await children()).toMatchObject([{ details: { status: "terminated" } }]);
    expect(plays).toBe(1);
  });

  test("S6-012 of an id that somebody else's instance has is not started, and the step says so", async () => {
    const workflows = {
      P: define("p", (step) => codes(() => step.invoke("c", { id: "taken" }))),
      C: define("c", () => 1),
    };
    const harness = createHarness({ workflows });
    await harness.workflows.C.create({ id: "taken" });
    await harness.workflows.P.create({ id: "x" });
    await harness.runUntilIdle();
    const output = ["INSTANCE_ID_ALREADY_EXISTS", undefined];
    expect(await harness.status("p", "x")).toMatchObject({ status: "complete", output });
  });

  test("S6-012 is refused before anything is written where its params, id, options or workflow are wrong", async () => {
    const strict = defineWorkflow(
      { name: "c", schema: z.object({ n: z.number() }) },
      async () => 1,
    );
    const wrong = [
      ["c", { params: { n: "one" } }],
      ["c", { params: { n: 1 }, id: "not an id" }],
      ["c", { params: { n: 1 }, onParentEnd: "explode" }],
      ["c", { params: { n: 1 }, timeout: 5 }],
      ["nobody", {}],
      [{ name: 5 }, { name: "five" }],
      [undefined, {}],
    ] as const;
    const P = define("p", async (step) => {
      const told = [];
      for (const [name, options] of wrong)
        told.push(
          (await codes(() => step.invoke(name as unknown as string, options as InvokeOptions)))[0],
        );
      return told;
    });
    const harness = createHarness({ workflows: { P, strict } });
    await harness.workflows.P.create({ id: "x" });
    await harness.runUntilIdle();
    expect((await harness.status("p", "x")).output).toEqual([
      "INVALID_PARAMS",
      "INVALID_INSTANCE_ID",
      "INVALID_REQUEST",
      "UNKNOWN_OPTION",
      "WORKFLOW_NOT_FOUND",
      "WORKFLOW_NOT_FOUND",
      "INVALID_STEP_NAME",
    ]);
    expect((await harness.history("p", "x")).steps).toEqual([]);
  });

  test("S6-012 of a map runs beside its siblings, and each end is told to its own branch", async () => {
    const { status } = await createFamily(
      (step) => step.map("all", [1, 2, 3, 4, 5], (own, n) => own.invoke("c", { params: n })),
      async (step, n: number) => {
        await step.sleep("nap", 1000 * (6 - n));
        return n * n;
      },
    ).then(async (family) => {
      await family.harness.runThroughTime();
      return family;
    });
    expect(await status()).toMatchObject({ status: "complete", output: [1, 4, 9, 16, 25] });
  });

  test("S6-012 may have children of its own", async () => {
    const deep = define("c", (step, n: number) =>
      n === 0 ? "bottom" : step.invoke("c", { params: n - 1 }),
    );
    const harness = createHarness({ workflows: { deep } });
    await harness.workflows.deep.create({ id: "top", params: 5 });
    await harness.runUntilIdle();
    expect(await harness.status("c", "top")).toMatchObject({
      status: "complete",
      output: "bottom",
    });
  });
});

describe("S6-012 when nobody waits for a child any more", () => {
  const undone: string[] = [];
  const child: Author = async (step) => {
    await step.do("pay", { undo: () => void undone.push("pay") }, () => 1);
    await waitForGo(step);
  };
  const invoke =
    (onParentEnd?: InvokeOptions["onParentEnd"]): Author =>
    (step) =>
      step.invoke("c", { id: "c1", ...(onParentEnd === undefined ? {} : { onParentEnd }) });
  const leave = {
    "the parent is terminated": [(step, how) => invoke(how)(step, null as never), "terminate"],
    "the parent is restarted": [(step, how) => invoke(how)(step, null as never), "restart"],
    "the parent is cancelled": [(step, how) => invoke(how)(step, null as never), "cancel"],
    "the parent fails": [
      (step, how) =>
        Promise.race([
          invoke(how)(step, null as never),
          waitForGo(step).then(() => Promise.reject(new Error("failed"))),
        ]),
      "go",
    ],
    "the step loses a race": [
      (step, how) =>
        step.race("r", { child: (own) => invoke(how)(own, null as never), go: waitForGo }),
      "go",
    ],
  } as const satisfies Record<
    string,
    readonly [(step: WorkflowStep, how: never) => unknown, string]
  >;
  const ends = { abandon: "waiting", terminate: "terminated", rollback: "terminated" } as const;
  const cases = Object.entries(leave).flatMap(([name, [parent, act]]) =>
    Object.entries(ends).map(([how, status]) => [how, name, { parent, act, status }] as const),
  );

  it.each(cases)(
    "S6-012 it does as onParentEnd %s says: %s",
    async (how, _name, { parent, act, status }) => {
      undone.length = 0;
      const { harness, instance } = await createFamily((step) => parent(step, how as never), child);
      expect(await harness.status("c", "c1")).toMatchObject({ status: "waiting" });
      if (act === "go") await instance.sendEvent({ type: "go" });
      else await instance[act]();
      await harness.runUntilIdle();
      expect(await harness.status("c", "c1")).toMatchObject({ status });
      expect(undone).toEqual(how === "rollback" ? ["pay"] : []);
    },
  );

  test("S6-012 the children of one that is terminated with its parent are ended too, paused ones as well", async () => {
    const options = { onParentEnd: "terminate" } as const;
    const P = define("p", (step) => step.invoke("c", { id: "c1", ...options }));
    const C = define("c", (step) => step.invoke("d", { id: "d1", ...options }));
    const harness = createHarness({ workflows: { P, C, D: define("d", waitForGo) } });
    const top = await harness.workflows.P.create({ id: "x" });
    await harness.runUntilIdle();
    await harness.workflows.D.get("d1").then((one) => one.pause());
    await top.terminate();
    await harness.runUntilIdle();
    expect(await harness.status("c", "c1")).toMatchObject({ status: "terminated" });
    expect(await harness.status("d", "d1")).toMatchObject({ status: "terminated" });
  });

  test("S6-010 a parent that rolls back has its children undo what they have done, where that was asked for", async () => {
    undone.length = 0;
    const { harness, instance } = await createFamily(async (step) => {
      await Promise.race([
        invoke("rollback")(step, null as never),
        waitForGo(step).then(() => Promise.reject(new RollbackError())),
      ]);
    }, child);
    await instance.sendEvent({ type: "go" });
    await harness.runUntilIdle();
    expect(undone).toEqual(["pay"]);
    expect(await harness.status("c", "c1")).toMatchObject({ status: "terminated" });
  });
});

describe("S6-013 a parent, or a child, whose process dies", () => {
  /** Plays a family with a process that is killed at a commit. */
  async function play(killAt: number, isApplied: boolean) {
    const started: string[] = [];
    const P = define("p", async (step) => {
      const first = await step.invoke("c", { params: "a" });
      const both = await step.join("both", {
        b: (own) => own.invoke("c", { params: "b" }),
        c: (own) => own.tryDo("fails", async () => own.now()),
      });
      return [first, both.b];
    });
    const C = define("c", async (step, name: string) => {
      await step.do("note", () => void started.push(name));
      await step.sleep("nap", 1000);
      return name;
    });
    const { harness, time, killed, commits } = createKilledHarness(
      { workflows: { P, C } },
      { killAt, isApplied },
    );
    await harness.workflows.P.create({ id: "x" });
    await Promise.race([harness.runThroughTime(), killed]);
    await time.advance(60_000);
    await harness.runThroughTime();
    const status = await harness.status("p", "x");
    const children = (await harness.engine.listInstances("c", {})).instances;
    const { events } = await harness.history("p", "x");
    return { status, children, events, commits: commits() };
  }

  test("S6-013 has one child a step, and gets its result once, wherever it dies", async () => {
    const whole = await play(0, true);
    expect(whole.commits).toBeGreaterThan(7);
    for (let killAt = 0; killAt <= whole.commits; killAt += 1)
      for (const isApplied of [true, false]) {
        const { status, children, events } = await play(killAt, isApplied);
        const where = `killed at commit ${killAt}, ${isApplied ? "behind" : "before"} it`;
        expect(status, where).toMatchObject({ status: "complete", output: ["a", "b"] });
        expect(children, where).toHaveLength(2);
        expect(
          events.map(({ consumedByStepKey }) => consumedByStepKey),
          where,
        ).toEqual(["c", "both/b/c"]);
      }
  });
});

describe("S6-022 a parent that is brought back to a step before its child", () => {
  test("S6-022 S6-012 starts another child", async () => {
    const { harness, instance, status, children } = await createFamily(
      async (step) => {
        const aim = await step.do("aim", () => 0);
        return [aim, await step.invoke("c")];
      },
      () => "grown",
    );
    expect(await status()).toMatchObject({ status: "complete" });
    await instance.rewind("aim");
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", output: [0, "grown"] });
    expect(await children()).toHaveLength(2);
  });
});

describe("S6-021 a parent that is retried", () => {
  test("S6-021 starts another child in place of one that failed", async () => {
    let isBroken = true;
    const { harness, instance, status, children } = await createFamily(
      (step) => step.invoke("c", { id: "order" }),
      () => {
        if (isBroken) throw new Error("broken");
        return "mended";
      },
    );
    expect(await status()).toMatchObject({ status: "errored", error: { code: "CHILD_FAILED" } });
    isBroken = false;
    await instance.retry();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", output: "mended" });
    expect((await children()).map(({ id }) => id)).toEqual(["order-2", "order"]);
  });
});

describe("S6-022 a parent that is brought back", () => {
  test("S6-022 starts another child, and is told again of one with an id of its own that had ended", async () => {
    let played = 0;
    for (const [id, count] of [
      [undefined, 2],
      ["order", 1],
    ] as const) {
      const { harness, instance, status, children } = await createFamily(
        async (step) => [await step.invoke("c", id === undefined ? {} : { id })],
        () => `child ${(played += 1)}`,
      );
      expect(await status()).toMatchObject({ status: "complete" });
      await instance.rewind("c");
      await harness.runUntilIdle();
      expect(await status()).toMatchObject({ status: "complete", output: [`child ${played}`] });
      expect(await children()).toHaveLength(count);
    }
  });

  test("S6-022 is told again that an id is taken", async () => {
    const { harness, instance, status } = await createFamily(
      (step) => codes(() => step.invoke("c", { id: "taken" })),
      () => 1,
    );
    const parent = await harness.workflows.P.create({ id: "y" });
    await harness.runUntilIdle();
    const output = ["INSTANCE_ID_ALREADY_EXISTS", undefined];
    expect(await harness.status("p", "y")).toMatchObject({ status: "complete", output });
    await parent.rewind("c");
    await harness.runUntilIdle();
    expect(await harness.status("p", "y")).toMatchObject({ status: "complete", output });
    expect([instance.id, await status()]).toMatchObject(["x", { output: [1] }]);
  });

  test("S6-022 is told of a child that ends before the step begins again", async () => {
    const { harness, instance, status } = await createFamily(async (step) => {
      await step.do("first", () => 1);
      return step.invoke("c", { id: "slow" });
    }, waitForGo);
    await instance.pause();
    await instance.rewind("first");
    await harness.sendEvent("c", "slow", { type: "go", payload: "gone" });
    await harness.runUntilIdle();
    expect(await harness.status("c", "slow")).toMatchObject({ status: "complete" });
    await instance.resume();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", output: { payload: "gone" } });
  });
});
