/** A runner dies at every call of the store and in every body, in turn. */
import { describe, expect, it } from "vitest";
import { checkCalm, checkReport } from "./oracle.ts";
import type { Program } from "./program.ts";
import { CALM, type Chaos, type Death, simulate } from "./simulate.ts";

const body = (fails = 0): { readonly kind: "do"; readonly fails: number } => ({
  kind: "do",
  fails,
});

const nap = { kind: "sleep", ms: 0 } as const;

const SCENARIOS: Readonly<Record<string, Program>> = {
  "steps in a row": [body(), body(1), body()],
  "waits between steps": [
    body(),
    { kind: "sleep", ms: 1000 },
    body(),
    { kind: "wait", arrives: true },
    body(),
  ],
  "branches and a race": [
    {
      kind: "all",
      branches: [
        [body(), body()],
        [body(1), { kind: "sleep", ms: 1000 }],
        [{ kind: "wait", arrives: false }],
      ],
    },
    { kind: "race", winner: [{ kind: "sleep", ms: 1000 }, body()] },
    body(),
  ],
  // Found by random workflows; each was a body that ran with an attempt number it had had before.
  "retries beside other steps": [
    { kind: "all", branches: [[body(), body(2)], [body()], [body(2)]] },
  ],
  "steps reached by naps": [
    { kind: "all", branches: [[body()], [nap]] },
    { kind: "all", branches: [[body(), nap], [nap, body()], [body()]] },
  ],
  "a retry noted during a commit": [
    nap,
    { kind: "all", branches: [[nap, body()], [{ kind: "wait", arrives: false }], [body(2), nap]] },
  ],
};

describe.each(Object.entries(SCENARIOS))("a runner dies anywhere in %s", (_name, program) => {
  it("S0-001 S0-002 S0-089 S0-090 S2-007 around each call of the store, applied or not, and the next one finishes", async () => {
    const calm = await simulate(program, CALM);
    checkCalm(program, calm);
    for (const death of ["before", "after", "hang"] satisfies Death[]) {
      for (let target = 1; target <= calm.calls; target += 1) {
        for (const isDeadly of death === "hang" ? [true] : [true, false]) {
          const chaos: Chaos = {
            ...CALM,
            isDeadly,
            atCall: ({ call }) => (call === target ? death : "none"),
          };
          const report = await simulate(program, chaos);
          expect(report.deaths, `deaths at call ${target} ${death}`).toBe(isDeadly ? 1 : 0);
          checkReport(program, report, calm);
        }
      }
    }
  }, 240_000);

  it("S0-002 S0-090 S2-007 in each body, and the next one finishes", async () => {
    const calm = await simulate(program, CALM);
    for (let target = 1; target <= calm.starts.length; target += 1) {
      const report = await simulate(program, { ...CALM, inBody: (count) => count === target });
      expect(report.deaths).toBe(1);
      checkReport(program, report, calm);
    }
  }, 240_000);
});
