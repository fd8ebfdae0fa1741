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

it("the README shows exactly this code", () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
  const readme = read("../../../README.md");
  for (const file of ["./workflow.ts", "./main.ts"]) expect(readme).toContain(read(file).trim());
});
