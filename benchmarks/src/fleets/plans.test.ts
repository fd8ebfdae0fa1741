/** The smaller plans of the platforms, by the virtual clock, and a preview beside production. Without trouble. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installVirtualTime, type VirtualTime } from "../lateness/virtual-time.ts";
import { PLAN_CASES, type PlanCase } from "./plans.ts";
import { play } from "./play.ts";

const START_AT = Date.UTC(2026, 0, 1);
const LIMIT_MS = 120_000;

let time: VirtualTime;
const { fetch } = globalThis;
const monotonic = performance.now;
beforeAll(() => {
  time = installVirtualTime(START_AT);
  performance.now = () => time.now() - START_AT;
});
afterAll(() => {
  time.restore();
  Object.assign(globalThis, { fetch });
  performance.now = monotonic;
});

type Case = [says: string, one: PlanCase];

const casesOf = (row: PlanCase["row"]): Case[] =>
  PLAN_CASES.filter((one) => one.row === row).map((one): Case => [one.says, one]);

async function prove(...[, { model, scenario, size, bounds }]: Case): Promise<void> {
  const outcome = await play(time, { model, scenario, size });
  const fleet = JSON.stringify(outcome);
  expect(outcome.ended, fleet).toBe(scenario.instances.length);
  expect(outcome.repeated, fleet).toEqual({ struck: 0, others: 0 });
  expect(outcome.refused, fleet).toBe(0);
  expect(outcome.waiting, fleet).toBeLessThanOrEqual(2);
  expect(outcome.longestMs, fleet).toBeLessThanOrEqual(bounds.longestMs);
  expect(outcome.lateMs, fleet).toBeLessThanOrEqual(bounds.lateMs);
  const created = scenario.instances.filter(({ from }) => from === "preview").length;
  const { preview } = outcome;
  expect(preview?.lateMs ?? 0, fleet).toBeLessThanOrEqual(bounds.previewLateMs ?? 0);
  // Where a preview's fleet is idle it asks the database nothing, and it wakes nobody.
  expect(preview?.trips ?? 0, fleet).toBe(created);
  expect(preview?.wakes ?? 0, fleet).toBe(0);
}

describe("plans", () => {
  test.each(casesOf("S9-012"))("S9-012 %s", prove, LIMIT_MS);
  test.each(casesOf("S9-013"))("S9-013 %s", prove, LIMIT_MS);
});
