/**
 * What `npm create escapement` makes, from packed packages: five combinations, which change daily, two of them side by side.
 * ESCAPEMENT_CREATE=node+sqlite+next,vercel+neon makes those.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import {
  createPostgresDatabase,
  ofToday,
  sqldAvailable,
  startSqld,
} from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PackageRegistry, servePackages } from "../pages/packages.ts";
import { missingRuntime } from "../tools.ts";
import { type Combination, nameOf } from "./combination.ts";
import { chooseCombinations, readCombinations } from "./combinations.ts";
import { type MadeProject, makeProject, NEWER } from "./made-project.ts";
import { playSignup } from "./play-signup.ts";

const A_PROJECT_MS = 480_000;
const CHOSEN = chooseCombinations(readCombinations(), process.env["ESCAPEMENT_CREATE"]).map(
  (combination) => ({ combination, name: nameOf(combination) }),
);

let registry: PackageRegistry;
beforeAll(async () => {
  registry = await servePackages();
}, 600_000);
afterAll(() => registry.stop());

/** What is to be done when the test has ended, the last first. */
type Defer = (cleanup: () => unknown) => void;

describe.concurrent.each(CHOSEN)("$name", ({ combination, name }) => {
  const missing = missingTool(combination);
  if (missing !== null) console.warn(`a project of ${name} SKIPPED: ${missing}`);

  test.skipIf(missing !== null)(
    "S8-016 npm create escapement: the made project installs, type-checks, passes its test, and runs where it can run here",
    { timeout: A_PROJECT_MS },
    async ({ onTestFinished }) => {
      const defer: Defer = (cleanup) => onTestFinished(async () => void (await cleanup()));
      const project = await makeProject(combination, registry);
      defer(() => project.remove());
      expect(statSync(join(project.folder, ".env")).mode & 0o077).toBe(0);
      await project.runScript("typecheck");
      expect(await project.runScript("test")).toContain("2 passed");
      await project.runScript("deploy:files");
      const settings = await startDatabase(combination, defer);
      if (settings !== null)
        for (const script of scriptsOfToday(project)) await playIn(project, script, settings);
      else if (project.hasScript("build")) await project.runScript("build");
    },
  );
});

/** One that is built is played under `dev` or, built, under `start`: each has its day. */
function scriptsOfToday(project: MadeProject): readonly ("dev" | "start")[] {
  return project.hasScript("build") ? ofToday(["dev", "start"] as const, 1) : ["dev"];
}

/** Refuses who has no token; whoever has it creates a signup, which completes. */
async function playIn(
  project: MadeProject,
  script: "dev" | "start",
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const { api, stop } = await project.start(script, settings);
  try {
    expect((await fetch(`${api}/workflows`)).status).toBe(401);
    const { status, output } = await playSignup(api, project.readEnv("API_TOKEN"), script);
    expect({ status, output }).toMatchObject({
      status: "complete",
      output: { state: "active", confirmedAt: "today" },
    });
  } finally {
    await stop();
  }
}

/** Platforms whose `dev` is a program of the project itself, or of a package that it installs. */
const STARTED = new Set(["node", "bun", "deno", "aws-lambda", "cloudflare"]);

/** Where the database is that a project is started with; null: it is not started here. */
async function startDatabase(
  { platform, database }: Combination,
  defer: Defer,
): Promise<Readonly<Record<string, string>> | null> {
  if (!STARTED.has(platform)) return null;
  if (database === "postgres") {
    const created = await createPostgresDatabase();
    defer(() => created.drop());
    return { DATABASE_URL: created.url };
  }
  if (database === "libsql") {
    if (!sqldAvailable()) return null;
    const server = await startSqld();
    defer(() => server.stop());
    return { DATABASE_URL: server.url };
  }
  return database === "neon" ? null : {};
}

function missingTool({ platform, framework }: Combination): string | null {
  if (NEWER.has(framework)) return missingRuntime("node24");
  return platform === "bun" || platform === "deno" ? missingRuntime(platform) : null;
}
