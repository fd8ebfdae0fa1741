/** Scenarios that failed once, as small as they could be made. `npm run simulate -- --seed 123 --save name` adds one. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judge } from "./play.ts";
import type { Scenario } from "./scenario.ts";

const folder = new URL("regressions/", import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));

describe("scenarios that failed once", () => {
  it.each(names)("S5-033 %s", async (name) => {
    const scenario = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Scenario;
    const { violations } = await judge(scenario);
    expect(violations).toEqual([]);
  });
});
