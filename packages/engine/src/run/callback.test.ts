/** `step.callback` in a run: deterministic, kept, once, and in time. */
import { beforeAll, describe, expect, it } from "vitest";
import {
  type Callback,
  defineWorkflow,
  Loop,
  NonRetryableError,
  type WorkflowEvent,
  type WorkflowStep,
} from "../index.ts";
import { createHarness, type Harness } from "../testing/harness.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import { readCallback, signCallback } from "./callback-token.ts";

// Loaded before, so that no time passes over them.
beforeAll(() => Promise.all([import("./scopes/run-scope.ts"), import("./callback-step.ts")]));

const KEYS = [
  "first-key-of-35-characters-or-more!",
  "other-key-of-35-characters-or-more!",
] as const;
const URL_OF_API = "https://acme.dev/api/workflows";
const signing = { signingKeys: KEYS, url: URL_OF_API, namespace: "" };

type Body = (step: WorkflowStep, event: WorkflowEvent<unknown>) => unknown;

async function play(
  body: Body,
  options: { readonly repeatedNames?: "cached"; readonly callbacks?: undefined } = {},
): Promise<Harness<never>> {
  const { repeatedNames = "occurrences", ...others } = options;
  const workflow = defineWorkflow({ name: "w", repeatedNames }, async (event, step) =>
    body(step, event),
  );
  const harness = createHarness({
    workflows: { W: workflow },
    callbacks: { signingKeys: KEYS, url: `${URL_OF_API}/` },
    ...others,
  } as Parameters<typeof createHarness>[0]);
  await harness.engine.createInstance("w", { id: "x" });
  return harness as unknown as Harness<never>;
}

const rowsOf = async (harness: Harness<never>, runNumber?: number): Promise<readonly string[]> =>
  (await harness.history("w", "x", runNumber)).steps.map(
    ({ stepKey, type, status }) => `${stepKey} ${type} ${status}`,
  );

const tokenOf = (stepKey: string, runNumber = 1): Promise<string> =>
  signCallback(signing, { workflowName: "w", instanceId: "x", runNumber, stepKey });

const code = (expected: string): unknown => expect.objectContaining({ code: expected });

describe("S6-016 step.callback", () => {
  it("S6-016 gives a URL to give away, and then the payload that came to it", async () => {
    const mailed: string[] = [];
    const harness = await play(async (step) => {
      const approval = await step.callback<{ by: string }>("approve", { timeout: "7 days" });
      await step.do("mail", () => void mailed.push(approval.url));
      return (await approval.payload()).by;
    });
    await harness.runUntilIdle();
    expect(mailed).toEqual([`${URL_OF_API}/callbacks/${await tokenOf("approve")}`]);
    expect(await rowsOf(harness)).toEqual(["mail do completed", "approve waitForEvent waiting"]);
    const token = mailed[0]?.split("/").at(-1) ?? "";
    await harness.engine.completeCallback(token, { by: "ada" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "ada" });
    await expect(harness.engine.completeCallback(token, { by: "bob" })).rejects.toEqual(
      code("CALLBACK_USED"),
    );
  });

  it("S6-016 is the same on every replay, in scopes, loops and for each use of a name", async () => {
    const seen: string[][] = [];
    const harness = await play(async (step) => {
      const tokens: string[] = [];
      seen.push(tokens);
      const note = ({ token }: Callback<unknown>): void => void tokens.push(token);
      note(await step.callback("a"));
      note(await step.callback("a"));
      const both = await step.join("j", {
        x: async (inner) => note(await inner.callback("a")),
        y: async (inner) => note(await inner.callback("a")),
      });
      await step.loop("l", {
        run: async (inner, _state, iteration) => {
          note(await inner.callback("a"));
          await inner.sleep("s", "1 hour");
          return iteration === 2 ? Loop.break(both) : Loop.continue(undefined);
        },
      });
      await step.sleep("end", "1 hour");
    });
    await harness.runThroughTime();
    const keys = ["a", "a#2", "j/x/a", "j/y/a", "l/~0/a", "l/~1/a", "l/~2/a"];
    const all = await Promise.all(keys.map((key) => tokenOf(key)));
    expect(seen.at(-1)).toEqual(all);
    for (const tokens of seen) expect(tokens).toEqual(all.slice(0, tokens.length));
    expect(seen.length).toBeGreaterThan(3);
  });

  it("S6-016 is told before anything else, live and on replay, whatever the signature takes", async () => {
    const orders: string[][] = [];
    const harness = await play(async (step) => {
      const order: string[] = [];
      orders.push(order);
      const told = (name: string) => (): void => void order.push(name);
      await Promise.all([
        step.do("b", () => 1).then(told("b")),
        step.callback("a").then(told("a")),
        step.sleep("c", 10).then(told("c")),
        step.callback("d").then(told("d")),
      ]);
      await step.sleep("later", "1 hour");
    });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    expect(orders.at(-1)).toEqual(["a", "d", "b", "c"]);
    for (const order of orders) expect(["a", "d", "b", "c"].slice(0, order.length)).toEqual(order);
  });

  it("S6-016 costs no row and no wait if nobody asks for the payload, and the URL takes one all the same", async () => {
    const harness = await play(async (step) => {
      await step.callback("a");
      await step.sleep("s", "1 hour");
    });
    await harness.runUntilIdle();
    await harness.engine.completeCallback(await tokenOf("a"), 1);
    await harness.runThroughTime();
    expect(await rowsOf(harness)).toEqual(["s sleep completed"]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    await expect(harness.engine.completeCallback(await tokenOf("a"))).rejects.toEqual(
      code("CALLBACK_USED"),
    );
  });

  it("S6-016 a payload that comes before the run waits for it is kept, over a crash too", async () => {
    const harness = await play(async (step) => {
      const { token, payload } = await step.callback("a");
      await step.do("use", async () => void (await harness.engine.completeCallback(token, [1, 2])));
      await step.sleep("s", "30 days");
      return payload();
    });
    await harness.runUntilIdle();
    harness.restart();
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: [1, 2] });
  });

  it("S6-016 payload() is one wait however often it is asked for, and no rejection is left alone", async () => {
    const harness = await play(async (step) => {
      const { payload } = await step.callback("a", { timeout: "1 minute" });
      void payload();
      const [one, two] = await Promise.allSettled([payload(), payload()]);
      return [one.status, two.status, one === two];
    });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({
      output: ["rejected", "rejected", false],
    });
    expect(await rowsOf(harness)).toEqual(["a waitForEvent errored"]);
  });

  it("S6-016 times out as a wait does, from payload() on, and is late from then on", async () => {
    const harness = await play(async (step) => {
      const { payload } = await step.callback("a", { timeout: "1 minute" });
      await step.sleep("s", "1 hour");
      return payload().catch((error: { code: string }) => error.code);
    });
    await harness.runUntilIdle();
    await harness.clock.advance(3_600_000);
    await harness.runUntilIdle();
    expect((await harness.history("w", "x")).steps.at(-1)).toMatchObject({
      stepKey: "a",
      status: "waiting",
    });
    await harness.clock.advance(60_000);
    // Nobody has looked since.
    await expect(harness.engine.completeCallback(await tokenOf("a"))).rejects.toEqual(
      code("CALLBACK_LATE"),
    );
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ output: "EVENT_TIMEOUT" });
  });

  it("S6-016 of two at the same time one is taken", async () => {
    const harness = await play(async (step) => (await step.callback("a")).payload());
    await harness.runUntilIdle();
    const token = await tokenOf("a");
    const uses = Array.from({ length: 10 }, (_, index) =>
      harness.engine.completeCallback(token, index),
    );
    const ends = await Promise.allSettled(uses);
    const taken = ends.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: taken[0] });
    expect(taken).toHaveLength(1);
  });

  it("S6-016 an old run's token ends no wait of the new run", async () => {
    const harness = await play(async (step) => (await step.callback("a")).payload());
    await harness.runUntilIdle();
    await harness.engine.control("w", "x", "restart");
    await harness.runUntilIdle();
    await expect(harness.engine.completeCallback(await tokenOf("a", 1), 1)).rejects.toEqual(
      code("CALLBACK_LATE"),
    );
    await harness.engine.completeCallback(await tokenOf("a", 2), 2);
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: 2 });
  });

  it("S6-016 a race that it loses closes it, and its token is late", async () => {
    const harness = await play(async (step) => {
      const { winner } = await step.race("r", {
        approved: async (inner) => (await inner.callback("a")).payload(),
        late: (inner) => inner.sleep("s", "1 hour"),
      });
      await step.sleep("after", "1 hour");
      return winner;
    });
    await harness.runUntilIdle();
    await harness.clock.advance(3_600_000);
    await harness.runUntilIdle();
    await expect(harness.engine.completeCallback(await tokenOf("r/approved/a"))).rejects.toEqual(
      code("CALLBACK_LATE"),
    );
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ output: "late" });
    expect(await rowsOf(harness)).toContain("r/approved/a waitForEvent cancelled");
  });

  it("S6-016 a token of an iteration whose rows are gone is late, used or not", async () => {
    const harness = await play(async (step) => {
      await step.loop("l", {
        commitEvery: 1,
        keep: 0,
        run: async (inner, _state, iteration) => {
          const { payload } = await inner.callback("a");
          if (iteration % 2 === 0) await payload();
          await inner.sleep("s", "1 day");
          return iteration === 5 ? Loop.break(null) : Loop.continue(undefined);
        },
      });
      await step.sleep("after", "1 day");
    });
    await harness.runUntilIdle();
    await harness.engine.completeCallback(await tokenOf("l/~0/a"));
    await harness.runThroughTime(5 * 86_400_000);
    expect(await rowsOf(harness)).not.toContain("l/~0/a waitForEvent completed");
    for (const iteration of [0, 1])
      await expect(
        harness.engine.completeCallback(await tokenOf(`l/~${iteration}/a`)),
      ).rejects.toEqual(
        expect.objectContaining({ code: expect.stringMatching(/CALLBACK_(LATE|USED)/) }),
      );
  });

  it("S6-016 in a workflow of cached names a repeat is the same callback", async () => {
    const harness = await play(
      async (step) => {
        const one = await step.callback("a");
        const two = await step.callback("a");
        await one.payload();
        return [one.token === two.token, await two.payload()];
      },
      { repeatedNames: "cached" },
    );
    await harness.runUntilIdle();
    await harness.engine.completeCallback(await tokenOf("a"), 7);
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: [true, 7] });
  });

  it("S6-016 a loop that only makes callbacks is stopped", async () => {
    const harness = await play(async (step) => {
      for (;;) await step.callback("a");
    });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
  });

  it.each([
    ["an option", { timeuot: 1 }, "UNKNOWN_OPTION"],
    ["a duration", { timeout: "soon" }, "INVALID_DURATION"],
    ["a timeout", { timeout: 1 }, "INVALID_DURATION"],
  ])("S6-016 %s that cannot be is refused by the call", async (_what, options, expected) => {
    const harness = await play((step) => step.callback("a", options as never));
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: expected } });
  });

  it("S6-016 without the option it is refused, to author and caller, and nothing is signed with nothing", async () => {
    const harness = await play((step) => step.callback("a"), { callbacks: undefined });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: "CALLBACK_DISABLED" } });
    await expect(harness.engine.completeCallback(await tokenOf("a"))).rejects.toEqual(
      code("CALLBACK_DISABLED"),
    );
  });

  it("S6-016 payload() after the end of its branch is refused", async () => {
    const harness = await play(async (step) => {
      let outside: Callback<unknown> | undefined;
      await step.join("j", {
        x: async (inner) => {
          outside = await inner.callback("a");
          await inner.do("b", () => 1);
        },
      });
      return outside?.payload().catch((error: { code: string }) => error.code);
    });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: "SCOPE_CLOSED" });
  });

  it("S6-016 a run that fails and is retried has the same token, which still works", async () => {
    let fails = true;
    const harness = await play(async (step) => {
      const { payload } = await step.callback("a");
      await step.do("b", () => {
        if (fails) throw new NonRetryableError("not yet");
      });
      return payload();
    });
    await harness.runUntilIdle();
    await expect(harness.engine.completeCallback(await tokenOf("a"))).rejects.toEqual(
      code("CALLBACK_LATE"),
    );
    fails = false;
    await harness.engine.control("w", "x", "retry");
    await harness.runUntilIdle();
    await harness.engine.completeCallback(await tokenOf("a"), "in time");
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: "in time" });
  });

  it("S6-016 nobody can send or wait for such an event by hand", async () => {
    const harness = await play((step) => step.waitForEvent("a", { type: "callback a" }));
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: "INVALID_EVENT_TYPE" } });
    await expect(
      harness.engine.sendEvent("w", "x", { type: "callback a", payload: 1 }),
    ).rejects.toEqual(code("INVALID_EVENT_TYPE"));
    await expect(
      harness.engine.sendEvent("w", "x", { type: "b", eventId: "callback a" }),
    ).rejects.toEqual(code("INVALID_IDEMPOTENCY_KEY"));
  });
});

describe("S6-016 a crash at any commit", () => {
  /** The payload comes while the mail is sent, or a day later; the process dies at the n-th commit. */
  async function playWithCrash(killAt: number, isApplied: boolean, isEarly: boolean) {
    const mailed: string[] = [];
    const W = defineWorkflow({ name: "w" }, async (_event, step) => {
      const { url, token, payload } = await step.callback("a", { timeout: "7 days" });
      await step.do("mail", async () => {
        mailed.push(url);
        if (isEarly) await harness.engine.completeCallback(token, "yes").catch(() => {});
      });
      const answer = await payload();
      await step.sleep("s", "1 hour");
      return answer;
    });
    const callbacks = { signingKeys: KEYS, url: URL_OF_API };
    const { harness, time, killed, commits } = createKilledHarness(
      { workflows: { W }, callbacks },
      { killAt, isApplied },
    );
    await harness.workflows.W.create({ id: "x" });
    await Promise.race([harness.runUntilIdle(), killed]);
    await time.advance(60_000);
    await harness.runUntilIdle();
    const late = await harness.engine
      .completeCallback(mailed[0]?.split("/").at(-1) ?? "", isEarly ? "no" : "yes")
      .catch((error: { code: string }) => error.code);
    await Promise.race([harness.runThroughTime(86_400_000), killed]);
    await time.advance(60_000);
    await harness.runThroughTime(86_400_000);
    return {
      commits: commits(),
      late,
      urls: new Set(mailed),
      status: await harness.status("w", "x"),
    };
  }

  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])(
    "S6-016 keeps URL and payload, and takes one (applied: %s, early: %s)",
    async (isApplied, isEarly) => {
      const { commits } = await playWithCrash(0, isApplied, isEarly);
      expect(commits).toBeGreaterThan(2);
      for (let killAt = 0; killAt <= commits; killAt += 1) {
        const { urls, status, late } = await playWithCrash(killAt, isApplied, isEarly);
        expect([...urls]).toEqual([`${URL_OF_API}/callbacks/${await tokenOf("a")}`]);
        expect(late).toEqual(isEarly ? "CALLBACK_USED" : expect.objectContaining({ id: "x" }));
        expect(status).toMatchObject({ status: "complete", output: "yes" });
      }
    },
  );
});

describe("S6-016 a callback's token", () => {
  const ref = { workflowName: "wörk/flow", instanceId: "x", runNumber: 3, stepKey: 'a "b"/~2/#3' };

  it("S6-016 says what it is for to who has the key, by whichever key it was signed", async () => {
    const token = await signCallback(signing, ref);
    expect(await readCallback(signing, token)).toEqual(ref);
    const turned = { ...signing, signingKeys: KEYS.toReversed() };
    expect(await readCallback(turned, token)).toEqual(ref);
    expect(await readCallback({ ...signing, signingKeys: [KEYS[1]] }, token)).toBeNull();
    expect(await readCallback({ ...signing, namespace: "staging" }, token)).toBeNull();
  });

  it("S6-016 is none with any of its characters changed, left out or doubled", async () => {
    const token = await signCallback(signing, ref);
    const end = token.length - 1;
    for (let at = 0; at < token.length; at += 1) {
      const [before, now, after] = [token.slice(0, at), token[at] ?? "", token.slice(at + 1)];
      const other = now === "A" ? "B" : "A";
      for (const changed of [other, "", `${now}${now}`, ".", "~", " "]) {
        // Of the last character two bits say nothing.
        if (at === end && changed.length === 1) continue;
        const forged = `${before}${changed}${after}`;
        if (forged !== token) expect(await readCallback(signing, forged)).toBeNull();
      }
    }
  });

  it.each([
    "",
    ".",
    "a.",
    `.${"A".repeat(43)}`,
    `${"A".repeat(20_000)}.${"A".repeat(43)}`,
    "x".repeat(2_000_000),
    "a".repeat(43),
    null,
    undefined,
    7,
    {},
  ])("S6-016 is not %#", async (token) => {
    expect(await readCallback(signing, token)).toBeNull();
  });

  it("S6-016 of one step, run, instance or workflow is not that of another", async () => {
    const others = [
      { ...ref, stepKey: "a" },
      { ...ref, runNumber: 4 },
      { ...ref, instanceId: "y" },
      { ...ref, workflowName: "w" },
    ];
    const signature = (token: string): string => token.split(".")[1] ?? "";
    const all = await Promise.all([ref, ...others].map((one) => signCallback(signing, one)));
    expect(new Set(all.map(signature)).size).toBe(5);
    const [mine = "", theirs = ""] = all;
    const mixed = `${theirs.split(".")[0]}.${signature(mine)}`;
    expect(await readCallback(signing, mixed)).toBeNull();
  });
});

describe("S6-016 the option callbacks", () => {
  const good = { signingKeys: [...KEYS], url: URL_OF_API };
  it.each([
    ["no list", { ...good, signingKeys: KEYS[0] }],
    ["an empty list", { ...good, signingKeys: [] }],
    ["an unset key", { ...good, signingKeys: [undefined] }],
    [
      "a key of 31 characters",
      { ...good, signingKeys: [KEYS[0], "kJ8#mQ2$vX5^nB7&cL9*wR4!tY6@pZ3"] },
    ],
    ["a placeholder", { ...good, signingKeys: ["change-me-change-me-change-me-change-me"] }],
    ["no URL", { signingKeys: [...KEYS] }],
    ["a path", { ...good, url: "/api/workflows" }],
    ["another scheme", { ...good, url: "javascript:alert(1)" }],
    ["a query", { ...good, url: `${URL_OF_API}?a=1` }],
    ["a password", { ...good, url: "https://a:b@acme.dev/api" }],
  ])("S6-016 refuses %s at the start", (_what, callbacks) => {
    expect(() => createHarness({ workflows: {}, callbacks: callbacks as never })).toThrow(
      expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
    );
  });

  it("S6-016 refuses a name that it does not know", () => {
    expect(() =>
      createHarness({ workflows: {}, callbacks: { ...good, secret: "x" } as never }),
    ).toThrow(expect.objectContaining({ code: "UNKNOWN_OPTION" }));
  });
});
