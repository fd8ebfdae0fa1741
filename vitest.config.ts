import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const globalSetup = fileURLToPath(new URL("test-servers/src/global-setup.ts", import.meta.url));

const config: ViteUserConfig = defineConfig({
  test: {
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
    // ESCAPEMENT_TEST_SERVERS=0 skips starting databases, for runs of tests that need none.
    globalSetup:
      existsSync(globalSetup) && process.env["ESCAPEMENT_TEST_SERVERS"] !== "0"
        ? [globalSetup]
        : [],
    // The databases of most tests are on a server that is quick and not durable, and migrate() says so each time.
    onConsoleLog: (text) =>
      text.split("\n").some((line) => line !== "" && !line.includes('"database.loses_commits"')),
    pool: "forks",
    maxWorkers: 2,
    // Limits are for what hangs, and no promise: on a machine with many times more work than cores all takes many times as long.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    typecheck: {
      enabled: true,
      include: ["{packages,adapters}/*/src/**/*.test-d.ts"],
      tsconfig: "./tsconfig.json",
      ignoreSourceErrors: true,
    },
  },
});

// Vitest reads the default export of its configuration; nothing else in the repository has one.
export default config;
