import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { compileOnce } from "@escapement-internal/test-servers/compiled-program";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ARGUMENTS, bundleOnce } from "./start-program.ts";
import { findRuntime, missingRuntime } from "./tools.ts";

vi.setConfig({ testTimeout: 60_000 });

const PROGRAM = fileURLToPath(new URL("programs/waits-for-result.ts", import.meta.url));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const RUNTIMES = ["node", "deno", "bun"] as const;
type RuntimeName = (typeof RUNTIMES)[number];

/** The command of the program in a runtime, and its arguments. */
async function commandOf(runtime: RuntimeName): Promise<readonly [string, readonly string[]]> {
  if (runtime !== "node")
    return [
      findRuntime(runtime) ?? "",
      [...ARGUMENTS[runtime], await bundleOnce(`waits-for-result-${runtime}`)],
    ];
  const compiled = (await compileOnce([PROGRAM])).get(PROGRAM) ?? "";
  return [process.execPath, ["--no-warnings", compiled]];
}

/** Runs the program until it waits, sends it the signal, and returns how it ended. */
async function stopped(runtime: RuntimeName, signal: "SIGINT" | "SIGTERM" | null, wants = "") {
  const [command, given] = await commandOf(runtime);
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  const child = spawn(command, given, {
    env: { PATH: process.env["PATH"], FILE: join(directory.path, "w.db"), WANTS: wants },
    stdio: ["ignore", "pipe", "pipe"],
  });
  cleanups.push(() => child.kill("SIGKILL"));
  const exited = once(child, "exit") as Promise<[number | null]>;
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  await once(child.stdout, "data");
  if (signal !== null) child.kill(signal);
  const [code] = await exited;
  return { code, stdout: await stdout, stderr: await stderr };
}

const CLOSED =
  'the engine was closed while waiting for instance "o-1" of workflow "order", which goes on in any process that runs its workflow';

for (const runtime of RUNTIMES) {
  const skip = runtime === "node" ? null : missingRuntime(runtime);
  if (skip !== null) console.warn(`SKIPPED: ${skip}`);

  describe.skipIf(skip !== null)(`a program that is stopped while it waits: ${runtime}`, () => {
    test.each([
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)("ends as a stopped program does, with one line: %s", async (signal, code) => {
      const ended = await stopped(runtime, signal);
      expect(ended).toEqual({
        code,
        stdout: "waiting\n",
        stderr: expect.stringContaining(`stopped by ${signal}: ${CLOSED}\n`) as string,
      });
      expect(ended.stderr).not.toContain(" at ");
    });

    test("tells once of what it waited for", async () => {
      const { code, stderr } = await stopped(runtime, "SIGINT", "two");
      expect(code).toBe(130);
      expect(stderr.match(/^stopped by SIGINT/gmu)).toHaveLength(1);
      expect(stderr).not.toContain(" at ");
    });

    test("can catch that the engine was closed", async () => {
      const { code, stdout } = await stopped(runtime, "SIGINT", "to catch");
      expect([code, stdout]).toEqual([0, `waiting\nENGINE_CLOSED ${CLOSED}\n`]);
    });

    test("is told by its error if it stopped the platform itself", async () => {
      const { code, stderr } = await stopped(runtime, null, "stop");
      expect(code).toBe(1);
      expect(stderr).toContain(CLOSED);
      // Deno shows no fields of errors.
      expect(stderr).toContain(runtime === "deno" ? "WorkflowError" : "ENGINE_CLOSED");
    });

    test("another error, or a handler of its own, is left as it is", async () => {
      const other = await stopped(runtime, "SIGINT", "another error");
      expect(other).toMatchObject({ code: 1 });
      expect(other.stderr).toContain("RangeError: a fault of the program's own");
      expect(await stopped(runtime, "SIGINT", "a handler")).toMatchObject({ code: 7 });
    });
  });
}
