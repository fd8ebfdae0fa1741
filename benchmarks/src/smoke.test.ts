import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";
import { METRICS } from "./metrics.ts";

interface Output {
  readonly code: number | null;
  readonly stdout: string;
}

const bench = (args: readonly string[]): Promise<Output> =>
  new Promise((resolve, reject) => {
    const main = fileURLToPath(new URL("main.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", main, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout }));
  });

test("the benchmarks print one JSON object of ours, floor and ratio by metric, and nothing else", async () => {
  const { code, stdout } = await bench(["--size", "tiny", "--store", "embedded", "--json"]);
  expect(code).toBe(0);
  const results = JSON.parse(stdout) as Record<string, Record<string, Record<string, number>>>;
  expect(Object.keys(results)).toEqual(["embedded"]);
  expect(Object.keys(results["embedded"] ?? {})).toEqual(METRICS.map(({ name }) => name));
  for (const figures of Object.values(results["embedded"] ?? {})) {
    expect(Object.keys(figures)).toEqual(["ours", "floor", "ratio"]);
    for (const value of Object.values(figures)) expect(value).toBeTypeOf("number");
  }
});

const TINY_FRAGNO = ["--fragno", "--size", "tiny", "--json", "--postgres"];

test("with --fragno they print ours, stock and ratio of each call, near, far and in trips", async () => {
  const { code, stdout } = await bench([...TINY_FRAGNO, inject("postgresUrl")]);
  expect(code).toBe(0);
  const { fragno } = JSON.parse(stdout) as {
    fragno: Record<string, Record<string, Record<string, number>>>;
  };
  expect(Object.keys(fragno)).toEqual(["create", "composed", "hooked", "read", "three"]);
  for (const metrics of Object.values(fragno)) {
    expect(Object.keys(metrics)).toEqual(["localMs", "delayedMs", "trips"]);
    for (const figures of Object.values(metrics)) expect(figures["ratio"]).toBeTypeOf("number");
    expect(metrics["trips"]?.["ratio"], "fewer trips than the published adapter").toBeLessThan(1);
  }
}, 90_000);

test("arguments that make no sense are refused with the usage", async () => {
  const { code, stdout } = await bench(["--store", "oracle"]);
  expect(code).toBe(2);
  expect(stdout).toBe("");
});
