/** What happens to a command whose output cannot be written. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, expect, test, vi } from "vitest";
import { compileCommand } from "./testing-command.ts";

vi.setConfig({ testTimeout: 100_000 });

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** Runs a shell line in which `$E` is the command. */
async function shell(line: string) {
  const command = await compileCommand([], {
    TESTING_DATABASE: join(directory.path, "data.db"),
    ESCAPEMENT_ENGINE: here("testing-app.ts"),
  });
  const env = { ...command.env, E: [process.execPath, ...command.args].join(" ") };
  return spawnSync("bash", ["--norc", "-c", line], { env, encoding: "utf8" });
}

test.skipIf(!existsSync("/dev/full"))(
  "S8-010 output that a full disk does not take is a failure that is told in a line; a reader that leaves is none",
  async () => {
    await shell("$E start order --id o-1 && $E pause order o-1");
    for (const verb of ["ls", "export order o-1"])
      expect(await shell(`$E ${verb} > /dev/full`)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^escapement: ENOSPC: .*no space left on device.*\n$/),
      });
    expect(await shell("$E ls | head -c 1; exit ${PIPESTATUS[0]}")).toMatchObject({
      status: 0,
      stderr: "",
    });
  },
);
