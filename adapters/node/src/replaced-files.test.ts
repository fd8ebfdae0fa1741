import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { text } from "node:stream/consumers";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { compileOnce } from "@escapement-internal/test-servers/compiled-program";
import { expect, onTestFinished, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("testing-replaced.ts", import.meta.url));

test("a process that stays does everything it did not do before, though its files are gone", async () => {
  const compiled = (await compileOnce([PROGRAM])).get(PROGRAM) ?? "";
  const directory = temporaryDirectory();
  onTestFinished(() => directory.remove());
  const folder = join(directory.path, "program");
  cpSync(dirname(compiled), folder, { recursive: true, verbatimSymlinks: true });
  const program = join(folder, "testing-replaced.mjs");
  const child = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);

  expect(output, errors).not.toBe("");
  expect(errors).not.toContain("ERR_MODULE_NOT_FOUND");
  const { said, result, failure } = JSON.parse(output) as Record<string, unknown>;
  expect(said).toEqual(Array.from({ length: 10 }, () => "ok"));
  expect(result).toEqual(["child", 7]);
  expect(failure).toBe("for good");
});
