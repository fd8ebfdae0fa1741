/** What `vercel build` says to configurations, those of `deploy` and those that `deploy` refuses. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { deploy } from "@escapement/vercel";
import { afterEach, describe, expect, test } from "vitest";
import { missingVercel, VERCEL_CLI, VERCEL_ENV } from "../vendor-vercel.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const skip = missingVercel();
if (skip !== null) console.warn(`SKIPPED: ${skip}`);

const ANSWER = "export default () => new Response('hello');\n";
const EDGE = `export const config = { runtime: "edge" };\n${ANSWER}`;

/** @returns reads a JSON file of the build's output @throws what the build says when it fails */
async function build(files: Readonly<Record<string, string>>): Promise<(path: string) => unknown> {
  const { path: cwd, remove } = temporaryDirectory();
  cleanups.push(remove);
  const settings = { framework: null, nodeVersion: "22.x" };
  const project = JSON.stringify({ projectId: "prj_test", orgId: "team_test", settings });
  const all = { ...files, ".vercel/project.json": project, "public/robots.txt": "" };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const env = { ...process.env, ...VERCEL_ENV };
  await promisify(execFile)(process.execPath, [VERCEL_CLI, "build", "--yes"], { cwd, env });
  return (path) => JSON.parse(readFileSync(join(cwd, ".vercel/output", path), "utf8"));
}

describe.skipIf(skip !== null)("vercel build and the configuration", { timeout: 240_000 }, () => {
  test("it takes what deploy writes for an Edge function on Hobby", async () => {
    const { files } = deploy({ plan: "hobby", entry: "api/workflows.js", runtime: "edge" });
    const read = await build({ "api/workflows.js": EDGE, "vercel.json": files[0]?.text ?? "" });
    expect(read("functions/api/workflows.func/.vc-config.json")).toMatchObject({ runtime: "edge" });
    expect(read("config.json")).toMatchObject({
      crons: [{ path: "/api/workflows/_runner/tick", schedule: "0 0 * * *" }],
    });
  });

  test("it takes a cron of six fields and one that no function answers, which deploy refuses", async () => {
    const crons = [{ path: "/api/nowhere", schedule: "*/10 * * * * *" }];
    const read = await build({
      "api/hello.js": ANSWER,
      "vercel.json": JSON.stringify({ crons }),
    });
    expect(read("config.json")).toMatchObject({ crons });
    const [{ path, schedule }] = crons as [{ path: string; schedule: string }];
    for (const [code, option] of [
      ["DEPLOY_OPTIONS_INVALID", { schedule }],
      ["UNKNOWN_OPTION", { cronPath: path }],
    ] as const)
      expect(() => deploy({ plan: "pro", ...option })).toThrow(expect.objectContaining({ code }));
  });
});
