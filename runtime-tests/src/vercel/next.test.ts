/** A made project of Next.js on Vercel: what `vercel build` makes of its routes, or `vercel dev` with its queue. One of them a day. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  findFreePort,
  ofToday,
  spawnServer,
  sqldAvailable,
  startSqld,
  today,
} from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MadeProject, makeProject } from "../create/made-project.ts";
import { playSignup } from "../create/play-signup.ts";
import { servePackages } from "../pages/packages.ts";
import { isPlayedToday } from "../played-today.ts";
import { missingVercel, VERCEL_CLI, VERCEL_ENV } from "../vendor-vercel.ts";

const skip = missingVercel() ?? (sqldAvailable() ? null : "sqld is not installed");
if (skip !== null) console.warn(`Next.js on Vercel SKIPPED: ${skip}`);

// Every second day is its own: each of the two has one of four.
const TODAY = ofToday(["build", "dev"], 1, Math.floor(today() / 2));
const ENV = { ...VERCEL_ENV, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "", VITEST: "" };

describe.skipIf(skip !== null || !isPlayedToday("Next.js on Vercel"))("Next.js on Vercel", () => {
  const cleanups: (() => unknown)[] = [];
  let project: MadeProject;

  beforeAll(async () => {
    const registry = await servePackages();
    cleanups.push(() => registry.stop());
    const combination = { platform: "vercel", framework: "next", database: "libsql" };
    project = await makeProject(combination, registry);
    cleanups.push(() => project.remove());
  }, 900_000);
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  test.skipIf(!TODAY.includes("build"))(
    "vercel build: the API's route has its duration, the wake's route its queue, and the cron reaches the API",
    { timeout: 480_000 },
    async () => {
      // As `vercel link` writes it; `vercel.json` says which framework it is.
      const settings = { framework: null, nodeVersion: "22.x" };
      const linked = { projectId: "prj_test", orgId: "team_test", settings };
      mkdirSync(join(project.folder, ".vercel"));
      writeFileSync(join(project.folder, ".vercel/project.json"), JSON.stringify(linked));
      const options = { cwd: project.folder, env: { ...process.env, ...ENV } };
      await promisify(execFile)(process.execPath, [VERCEL_CLI, "build", "--yes"], options);
      const output = join(project.folder, ".vercel/output");
      const read = (path: string) => JSON.parse(readFileSync(join(output, path), "utf8")) as object;
      const workflows = read("functions/api/workflows/[...path].func/.vc-config.json");
      expect(workflows).toMatchObject({ maxDuration: 300 });
      expect(workflows).not.toHaveProperty("experimentalTriggers");
      expect(read("functions/api/wake.func/.vc-config.json")).toMatchObject({
        maxDuration: 300,
        experimentalTriggers: [
          { type: "queue/v2beta", topic: "my-app", consumer: "src_Sapp_Sapi_Swake_Sroute_Dts" },
        ],
      });
      const { crons, routes } = read("config.json") as BuiltConfig;
      expect(crons).toEqual([{ path: "/api/workflows/_runner/tick", schedule: "0 0 * * *" }]);
      const reached = routes.filter(({ src = "^$" }) => new RegExp(src).test(crons[0]?.path ?? ""));
      expect(reached.map(({ dest = "" }) => dest.split("?")[0])).toContain(
        "/api/workflows/[...path]",
      );
      // `vercel dev` would ask Vercel for the project.
      rmSync(join(project.folder, ".vercel"), { recursive: true });
    },
  );

  test.skipIf(!TODAY.includes("dev"))(
    "vercel dev: a signup sleeps, is woken by the queue and completes, for who has the token",
    { timeout: 480_000 },
    async () => {
      const sqld = await startSqld();
      cleanups.push(() => sqld.stop());
      // `vercel dev` takes the variables of this file before its own.
      const file = join(project.folder, ".env");
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replace(/^DATABASE_URL=.*$/m, `DATABASE_URL=${sqld.url}`));
      const port = await findFreePort();
      const listen = ["--listen", `127.0.0.1:${port}`, "-Q", join(project.folder, ".config")];
      const server = await spawnServer({
        command: process.execPath,
        args: [VERCEL_CLI, "dev", "--local", "--yes", ...listen],
        cwd: project.folder,
        env: ENV,
        ready: async (output) => output().includes("Ready!"),
      });
      cleanups.push(() => server.stop());
      const api = `http://127.0.0.1:${port}/api/workflows`;
      expect((await fetch(`${api}/workflows`)).status).toBe(401);
      const played = await playSignup(api, project.readEnv("API_TOKEN"), "ada");
      expect(played).toMatchObject({ status: "complete", output: { state: "active" } });
    },
  );
});

interface BuiltConfig {
  readonly crons: readonly { readonly path: string; readonly schedule: string }[];
  readonly routes: readonly { readonly src?: string; readonly dest?: string }[];
}
