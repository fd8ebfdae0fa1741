import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";
import type { ProjectConfig } from "vitest/node";
import { TestOrder } from "./scripts/test-order.ts";

const globalSetup = fileURLToPath(new URL("test-servers/src/global-setup.ts", import.meta.url));

/**
 * Folders whose tests share a process, file after file, with what it has loaded: loading the engine takes longer than most of them
 * do, and it keeps nothing in its modules. A file that replaces modules or globals has a process of its own, and so has one that
 * takes minutes: it would be the last to end, alone.
 */
const SHARED_ROOMS = [
  ...["engine", "fragno", "db", "otel"].map((name) => `packages/${name}/src`),
  ...["adapters", "examples"].flatMap((room) => sourcesIn(room)),
];
const TAKES_MINUTES = /\/(?:contract|postgres-plans|demo|relay)\.test\.ts$/u;
const sharedFiles = SHARED_ROOMS.flatMap((room) =>
  readdirSync(new URL(`${room}/`, import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${room}/${name}`)
    .filter((path) => !TAKES_MINUTES.test(path) && !changesItsProcess(path)),
);

/** The folder `src` of each package in there. */
function sourcesIn(room: string): string[] {
  return readdirSync(new URL(`${room}/`, import.meta.url))
    .map((name) => `${room}/${name}/src`)
    .filter((path) => existsSync(new URL(`${path}/`, import.meta.url)));
}

function changesItsProcess(path: string): boolean {
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  return /\bvi\.(?:mock|doMock|resetModules|stubGlobal|stubEnv)\(|Object\.assign\((?:globalThis|process)\b|process\.env\[[^\]]+\] = /.test(
    text,
  );
}

/** What holds for all tests. */
const COMMON: ProjectConfig = {
  pool: "forks",
  // More than processors: many tests wait for servers and tools. `TestOrder` mixes those with the others.
  maxWorkers: 3,
  // Of one file's tests that may run side by side: projects of `create-escapement`, which wait for what they install.
  maxConcurrency: 2,
  // Limits are for what hangs, and no promise: on a machine with many times more work than cores all takes many times as long.
  testTimeout: 120_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
};

const config: ViteUserConfig = defineConfig({
  test: {
    ...COMMON,
    projects: [
      {
        test: {
          ...COMMON,
          name: "own process",
          include: [
            "packages/*/src/**/*.test.ts",
            "adapters/*/src/**/*.test.ts",
            "examples/*/src/**/*.test.ts",
            "examples/platforms/*/src/**/*.test.ts",
            "benchmarks/src/**/*.test.ts",
            "chaos/src/**/*.test.ts",
            "proofs/src/**/*.test.ts",
            "simulation/src/**/*.test.ts",
            "test-servers/src/**/*.test.ts",
            "runtime-tests/src/**/*.test.ts",
            "site/src/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: [...configDefaults.exclude, ...sharedFiles],
          typecheck: {
            // Vitest hands this option on to no project.
            enabled: !process.argv.includes("--typecheck.enabled=false"),
            include: ["{packages,adapters}/*/src/**/*.test-d.ts"],
            tsconfig: "./tsconfig.test-types.json",
            ignoreSourceErrors: true,
          },
        },
      },
      { test: { ...COMMON, name: "shared process", include: sharedFiles, isolate: false } },
    ],
    sequence: { sequencer: TestOrder },
    // ESCAPEMENT_TEST_SERVERS=0 skips starting databases, for runs of tests that need none.
    globalSetup:
      existsSync(globalSetup) && process.env["ESCAPEMENT_TEST_SERVERS"] !== "0"
        ? [globalSetup]
        : [],
    // The databases of most tests are on a server that is quick and not durable, and migrate() says so each time.
    onConsoleLog: (text) =>
      text.split("\n").some((line) => line !== "" && !line.includes('"database.loses_commits"')),
    teardownTimeout: 60_000,
  },
});

// Vitest reads the default export of its configuration; nothing else in the repository has one.
export default config;
