/** Traces of a run whose processes die. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { SpanView } from "./testing-spans.ts";

const PROGRAM = fileURLToPath(new URL("testing-process.ts", import.meta.url));
const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const folder = mkdtempSync(join(tmpdir(), "escapement-otel-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @returns the signal that it ended by, or its exit code */
async function runProcess(...args: readonly string[]): Promise<unknown> {
  const command = ["--import", import.meta.resolve("tsx"), PROGRAM, ...args];
  const child = spawn(process.execPath, command, { stdio: "inherit", timeout: 100_000 });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  return signal ?? code;
}

it("S8-014 S3-055 a run over three killed processes is one linked story, which begins at the caller of the HTTP API", async () => {
  const database = join(folder, "order.db");
  const file = join(folder, "spans.jsonl");
  for (const fatal of ["charge", "ship", "mail"])
    expect(await runProcess(database, file, fatal)).toBe("SIGKILL");
  expect(await runProcess(database, file, "nothing")).toBe(0);

  const lines = readFileSync(file, "utf8").trim().split("\n");
  const spans = lines.map((line) => JSON.parse(line) as SpanView);
  const created = spans.filter(({ name }) => name === "create order");
  expect(created).toMatchObject([{ traceId: CALLER.traceId, parentId: CALLER.spanId }]);

  const [creator] = created.map(({ traceId, spanId }) => `${traceId}/${spanId}`);
  const own = spans.filter(({ name }) => name !== "create order");
  for (const span of own) expect(span.links).toContainEqual({ to: creator, kind: "creator" });
  // Each body that ended, once: nobody reports those that died, and a replay does not report them again.
  const steps = own.filter(({ name }) => name.startsWith("step "));
  expect(steps.map(({ name }) => name)).toEqual([
    "step reserve",
    "step charge",
    "step ship",
    "step mail",
  ]);
  // Each process has its own trace; the run's own span only exists for the process that lived.
  expect(new Set(steps.map(({ traceId }) => traceId)).size).toBe(4);
  const runs = own.filter(({ name }) => name === "run order");
  expect(runs).toMatchObject([
    {
      parentId: null,
      attributes: { "escapement.run.end": "complete", "escapement.run.lost_leases": 1 },
    },
  ]);
});
