/**
 * What `npm create escapement` makes, from packed packages: node with SQLite or with Postgres, and another combination,
 * which change daily. ESCAPEMENT_CREATE=node+sqlite+next,vercel+neon makes those.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import {
  createPostgresDatabase,
  sqldAvailable,
  startSqld,
} from "@escapement-internal/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type PackageRegistry, servePackages } from "../pages/packages.ts";
import { missingRuntime } from "../tools.ts";
import { chooseCombinations, type Combination, nameOf, readCombinations } from "./combinations.ts";
import { type MadeProject, makeProject, NEWER } from "./made-project.ts";
import { playSignup } from "./play-signup.ts";

const A_PROJECT_MS = 480_000;
const CHOSEN = chooseCombinations(readCombinations(), process.env["ESCAPEMENT_CREATE"]).map(
  (combination) => ({ combination, name: nameOf(combination) }),
);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

let registry: PackageRegistry;
beforeAll(async () => {
  registry = await servePackages();
}, 600_000);
afterAll(() => registry.stop());

test("every combination has its turn, and one that is asked for is made", () => {
  const all = readCombinations();
  expect(all).toHaveLength(66);
  const days = Array.from({ length: 64 }, (_, day) => chooseCombinations(all, "", day));
  expect(new Set(days.flat().map(nameOf)).size).toBe(66);
  expect(chooseCombinations(all, "vercel+neon").map(nameOf)).toEqual(["vercel+neon"]);
  const next = { platform: "node", framework: "next", database: "sqlite" };
  expect(chooseCombinations(all, "node+sqlite+next")).toEqual([next]);
  expect(() => chooseCombinations(all, "vercel+sqlite")).toThrow("vercel+sqlite");
});

describe.each(CHOSEN)("$name", ({ combination, name }) => {
  const missing = missingTool(combination);
  if (missing !== null) console.warn(`a project of ${name} SKIPPED: ${missing}`);

  test.skipIf(missing !== null)(
    "S8-016 npm create escapement: the made project installs, type-checks, passes its test, and runs where it can run here",
    { timeout: A_PROJECT_MS },
    async () => {
      const project = await makeProject(combination, registry);
      cleanups.push(() => project.remove());
      expect(statSync(join(project.folder, ".env")).mode & 0o077).toBe(0);
      await project.runScript("typecheck");
      expect(await project.runScript("test")).toContain("2 passed");
      await project.runScript("deploy:files");
      const settings = await startDatabase(combination);
      if (settings !== null) await playIn(project, "dev", settings);
      if (!project.hasScript("build")) return;
      // `start` builds first.
      if (settings === null) await project.runScript("build");
      else await playIn(project, "start", settings);
    },
  );
});

/** Refuses who has no token; whoever has it creates a signup, which completes. */
async function playIn(
  project: MadeProject,
  script: "dev" | "start",
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const { api, stop } = await project.start(script, settings);
  cleanups.push(stop);
  expect((await fetch(`${api}/workflows`)).status).toBe(401);
  const { status, output } = await playSignup(api, project.readEnv("API_TOKEN"), script);
  expect({ status, output }).toMatchObject({
    status: "complete",
    output: { state: "active", confirmedAt: "today" },
  });
  await stop();
}

/** Platforms whose `dev` is a program of the project itself, or of a package that it installs. */
const STARTED = new Set(["node", "bun", "deno", "aws-lambda", "cloudflare"]);

/** Where the database is that a project is started with; null: it is not started here. */
async function startDatabase({
  platform,
  database,
}: Combination): Promise<Readonly<Record<string, string>> | null> {
  if (!STARTED.has(platform)) return null;
  if (database === "postgres") {
    const created = await createPostgresDatabase();
    cleanups.push(() => created.drop());
    return { DATABASE_URL: created.url };
  }
  if (database === "libsql") {
    if (!sqldAvailable()) return null;
    const server = await startSqld();
    cleanups.push(() => server.stop());
    return { DATABASE_URL: server.url };
  }
  return database === "neon" ? null : {};
}

function missingTool({ platform, framework }: Combination): string | null {
  if (NEWER.has(framework)) return missingRuntime("node24");
  return platform === "bun" || platform === "deno" ? missingRuntime(platform) : null;
}
