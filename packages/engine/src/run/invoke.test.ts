/** Children: started once, awaited, reported once, and ended with their parents if requested. */
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { defineWorkflow, RollbackError, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import type { InvokeOptions } from "../authoring/invoke.ts";
import { type Author, define, createFamily, codes, waitForGo } from "./testing-invoke.ts";

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
    // Each of thousands of children would report what its author did not do.
    expect(harness.log.filter(({ event }) => event === "step.not_awaited")).toEqual([]);
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
