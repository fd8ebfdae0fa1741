/** The simulation itself: seeds replay, and what fails gets smaller. */
import { describe, expect, it } from "vitest";
import { linesOf } from "./differential.ts";
import { makeScenario } from "./generate/scenarios.ts";
import { ModelRun } from "./model.ts";
import { judge, play, profileOf } from "./play.ts";
import type { Leaf, Program } from "./program.ts";
import type { Scenario } from "./scenario.ts";
import { shrink } from "./shrink.ts";
import { nodesOf } from "./walk.ts";

describe("a seed", () => {
  it("S5-033 plays the same way every time: calls, leases, bodies and what author code saw", async () => {
    for (const seed of [1, 14, 19, 39]) {
      const [first, second] = [
        await play({ seed, profile: profileOf(seed) }),
        await play({ seed, profile: profileOf(seed) }),
      ];
      expect(second.report.callCount).toBe(first.report.callCount);
      expect(second.report.eventCount).toBe(first.report.eventCount);
      expect(second.report.books.leases).toEqual(first.report.books.leases);
      expect(second.report.world.starts).toEqual(first.report.world.starts);
      expect(second.report.world.executions).toEqual(first.report.world.executions);
      expect(linesOf(second.report)).toEqual(linesOf(first.report));
    }
  }, 240_000);

  it("S5-005 S5-033 meets every fault at every call that writes, late and doubled ones among them, and ticks that are brought a run", async () => {
    const met = new Set<string>();
    const heldMet = new Set<string>();
    for (let seed = 1; seed <= 250; seed += 1) {
      const { report } = await play({ seed, profile: "light" });
      for (const fault of report.faultsMet) met.add(fault);
      for (const end of report.heldMet) heldMet.add(end);
    }
    const kinds = ["refused", "answerLost", "late", "twice", "slow", "crashAfter", "crashLate"];
    const wanted = ["create", "claim", "commit", "sendEvent", "control"].flatMap((verb) =>
      kinds.map((kind) => `${kind} ${verb}`),
    );
    const missing = wanted.filter((fault) => !met.has(fault));
    expect(missing.filter((fault) => !fault.endsWith("control"))).toEqual([]);
    expect(missing.length, missing.join()).toBeLessThan(kinds.length);
    expect([...heldMet].toSorted()).toEqual(["begun", "lost"]);
  }, 120_000);

  it("S5-033 goes on when what was asked for in trouble comes after an instance's end, and begins it anew", async () => {
    const { report, violations } = await play({ seed: 4400, profile: "middle" });
    expect(violations).toEqual([]);
    expect(report.instances).toMatchObject([{ status: "complete", runNumber: 2 }]);
  });

  it("S5-033 shrinks to the least that fails by the same rule", async () => {
    const hasRace = ({ workflows }: Scenario): boolean =>
      workflows.some(({ versions }) => nodesOf(versions[0]).some(({ kind }) => kind === "race"));
    const scenario = [19, 39, 59, 79, 99].map((seed) => makeScenario(seed, "heavy")).find(hasRace);
    if (scenario === undefined) throw new RangeError("no scenario has a race");
    const small = await shrink(scenario, async (smaller) => hasRace(smaller), 2000);
    expect(small.faults).toEqual([]);
    expect(small.actions).toEqual([]);
    expect(small.instances).toHaveLength(1);
    expect(small.runners).toHaveLength(1);
    const nodes = small.workflows.flatMap(({ versions }) => nodesOf(versions[0]));
    expect(nodes.filter(({ kind }) => kind === "race")).toHaveLength(1);
    expect(nodes.length).toBeLessThanOrEqual(4);
    expect((await judge(small)).report.isOver).toBe(true);
  }, 240_000);
});

describe("the model", () => {
  const leaf = (name: string): Leaf => ({ kind: "sleep", name, ms: 1, depth: 0 });
  const ok = { ok: true, value: "x" } as const;

  it("follows the loser of a race as promises do", () => {
    const branches: Program[] = [[leaf("a"), leaf("b")], [leaf("c")]];
    const program: Program = [{ kind: "race", name: "race", branches, depth: 0 }, leaf("d")];
    const run = new ModelRun(program);
    expect([...run.pending.keys()]).toEqual(["a", "c"]);
    run.settle("c", ok);
    expect([...run.pending.keys()]).toEqual(["a", "d"]);
    run.settle("a", ok);
    expect([...run.pending.keys()]).toEqual(["d", "b"]);
    run.settle("d", ok);
    expect(run.end).toEqual({ ok: true, value: [["x"], "x"] });
    expect(run.trace).toEqual([
      "c = ok",
      "c awaited",
      "race over",
      "a = ok",
      "a awaited",
      "d = ok",
      "d awaited",
    ]);
  });

  it("numbers the uses of a name, and refuses what was not called", () => {
    const run = new ModelRun([
      { kind: "loop", name: "loop", times: 2, iterates: false, nodes: [leaf("a/b")] },
    ]);
    expect(run.settle("a%2Fb#2", ok)).toBe(false);
    run.settle("a%2Fb", ok);
    expect([...run.pending.keys()]).toEqual(["a%2Fb#2"]);
    run.settle("a%2Fb#2", ok);
    expect(run.end?.ok).toBe(true);
  });

  it("fails all at its first failure, any at its last, and allSettled never", () => {
    const branches: Program[] = [[leaf("a")], [leaf("b")]];
    const ends = (["all", "any", "allSettled"] as const).map((kind) => {
      const run = new ModelRun([{ kind, name: kind, branches, depth: 0 }]);
      run.settle("a", { ok: false });
      const early = run.end?.ok ?? null;
      run.settle("b", { ok: false });
      return [early, run.end?.ok];
    });
    expect(ends).toEqual([
      [false, false],
      [null, false],
      [null, true],
    ]);
  });
});
