import { readFileSync } from "node:fs";
import { createHarness } from "@escapement/engine/testing";
import { describe, expect, it } from "vitest";
import { signup } from "./workflow.ts";

describe("the signup workflow", () => {
  it("a confirmed signup becomes active", async () => {
    const harness = createHarness({ workflows: { SIGNUP: signup } });
    await harness.workflows.SIGNUP.create({ id: "ada", params: { email: "ada@example.com" } });
    await harness.runUntilIdle();
    await harness.clock.advance(1000);
    await harness.runUntilIdle();
    expect(await harness.status("signup", "ada")).toMatchObject({ status: "waiting" });
    await harness.sendEvent("signup", "ada", { type: "confirmed", payload: { at: "today" } });
    await harness.runUntilIdle();
    expect(await harness.status("signup", "ada")).toMatchObject({
      status: "complete",
      output: { state: "active", confirmedAt: "today", welcome: "sent", crm: "told" },
    });
  });

  it("an unconfirmed one expires after seven days", async () => {
    const harness = createHarness({ workflows: { SIGNUP: signup } });
    await harness.workflows.SIGNUP.create({ id: "ada", params: { email: "ada@example.com" } });
    await harness.runThroughTime();
    expect(await harness.status("signup", "ada")).toMatchObject({ output: { state: "expired" } });
  });
});

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

it("the README shows exactly this code", () => {
  const readme = read("../../../README.md");
  for (const file of ["./hello.ts", "./workflow.ts", "./main.ts"])
    expect(readme).toContain(`\`\`\`ts\n${read(file)}\`\`\``);
});

it("the README's first program has at most 20 lines, and needs no package but @escapement/node", () => {
  const [first = ""] = /(?<=^```ts\n).*?(?=^```$)/ms.exec(read("../../../README.md")) ?? [];
  expect(first).toBe(read("./hello.ts"));
  expect(first.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(20);
  const imported = [...first.matchAll(/\bfrom "(?<name>[^"]+)"/g)].map((found) => found[1]);
  expect(imported).toEqual(["@escapement/node", "@escapement/node/sqlite"]);
});
