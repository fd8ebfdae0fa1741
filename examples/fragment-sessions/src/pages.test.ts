/** The pages show code that is compiled, linted and run here. */
import { readFileSync } from "node:fs";
import { createFragnoAdapter } from "@escapement/fragno";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import { migrate } from "@fragno-dev/db";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { say, watchSessions } from "./browser.ts";
import { createManagedWorkflows } from "./server/management.ts";
import { onTick } from "./server/tick.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const SOURCES = [
  "./schema.ts",
  "./workflows.ts",
  "./index.ts",
  "./fragment/definition.ts",
  "./fragment/index.ts",
  "./fragment/routes.ts",
  "./fragment/session-routes.ts",
  "./handover.ts",
  "./workflows.scenario.test.ts",
  "./server/init.ts",
  "./server/tick.ts",
  "./server/management.ts",
  "./browser.ts",
  "./main.ts",
].map((path) => read(path));

/** Without indentation, because a page may show an inner part. */
const flatten = (code: string): string => code.replaceAll(/^\s+/gm, "").trim();

describe.each(["../README.md", "../../../docs/guides/fragno.md"])("%s", (page) => {
  it("S1-010 S1-015 S1-025 shows code of this example alone", () => {
    const blocks = [...read(page).matchAll(/```ts\n(?<code>.*?)```/gs)];
    expect(blocks.length).toBeGreaterThan(5);
    const foreign = blocks
      .map(({ groups }) => flatten(groups?.["code"] ?? ""))
      .filter((code) => !SOURCES.some((source) => flatten(source).includes(code)));
    expect(foreign).toEqual([]);
  });
});

const SECRET = "token-of-these-tests-only";

describe("what the guide shows for apps", () => {
  const open = () =>
    createFragnoAdapter({ database: createSqliteDatabase(new Libsql(":memory:")) });

  it("S1-024 a tick does what is due and says when to call again", async () => {
    const workflows = createManagedWorkflows(open(), [SECRET]);
    await migrate(workflows);
    expect(await onTick([workflows])).toEqual({ callAgainInMs: null });
    const params = { sessionId: "s1", agentName: "ada" };
    await workflows.workflows.session.create({ id: "s1", params });
    expect(await onTick([workflows])).toEqual({ callAgainInMs: expect.any(Number) });
  });

  it("management routes answer those who bring the token", async () => {
    const workflows = createManagedWorkflows(open(), [SECRET]);
    await migrate(workflows);
    const list = (headers: Record<string, string>) =>
      workflows.handler(new Request("http://test/api/workflows/workflows", { headers }));
    expect((await list({})).status).toBe(401);
    expect(await (await list({ authorization: `Bearer ${SECRET}` })).json()).toEqual({
      workflows: [{ name: "session-workflow" }],
    });
  });

  it("clients are typed by the routes", () => {
    expect(say).toBeTypeOf("function");
    expect(watchSessions).toBeTypeOf("function");
  });
});
