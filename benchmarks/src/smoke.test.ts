import { ofToday } from "@escapement-internal/test-servers";
import { expect, inject, test } from "vitest";
import { bench } from "./bench-process.ts";
import { METRICS } from "./metrics.ts";

/** Of those that only look at what is printed, one a day in turn. */
const TODAY = ofToday(["--fragno", "--against", "--loop"], 1);

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

interface Side {
  readonly bytes: number;
  readonly gzipBytes: number;
}

const WAKE_PATH_NAMES = [
  "node",
  "bun",
  "deno",
  "awsLambdaQueue",
  "awsLambdaSchedules",
  "vercelQueue",
  "vercelMinuteCron",
  "vercelDailyCron",
  "netlify",
  "netlifyCheap",
  "cloudflare",
];

const TINY_FRAGNO = ["--fragno", "--size", "tiny", "--json", "--postgres"];

test.runIf(TODAY.includes("--fragno"))(
  "with --fragno they print ours, stock and ratio of each call, near, far and in trips",
  async () => {
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
  },
  240_000,
);

test("with --lateness they print percentiles of each sleep on each wake path, and an exact path is exact", async () => {
  const { code, stdout } = await bench(["--lateness", "--size", "tiny", "--json"]);
  expect(code).toBe(0);
  const { lateness } = JSON.parse(stdout) as {
    lateness: { virtual: Record<string, Record<string, { p50Ms: number; p95Ms: number }>> };
  };
  expect(Object.keys(lateness.virtual)).toEqual(WAKE_PATH_NAMES);
  for (const ofPath of Object.values(lateness.virtual)) {
    expect(Object.keys(ofPath)).toEqual(["5 s", "90 s", "20 min"]);
    for (const { p50Ms, p95Ms } of Object.values(ofPath))
      expect(p95Ms).toBeGreaterThanOrEqual(p50Ms);
  }
  // By the virtual clock these are no measurements: they can only change with the code.
  expect(lateness.virtual["node"]?.["20 min"]?.p95Ms).toBe(0);
  expect(lateness.virtual["cloudflare"]?.["20 min"]?.p95Ms).toBeLessThanOrEqual(10);
  expect(lateness.virtual["awsLambdaSchedules"]?.["20 min"]?.p95Ms).toBeLessThanOrEqual(3000);
}, 240_000);

test("with --platforms they print trips, invocations, sizes and starts of each platform; what is counted is exact", async () => {
  const { code, stdout } = await bench(["--platforms", "--size", "tiny", "--json"]);
  expect(code).toBe(0);
  const { platforms } = JSON.parse(stdout) as {
    platforms: Record<string, { work: { three: object }; ours: Side | null; bare: Side | null }>;
  };
  const three = Object.entries(platforms).map(([name, { work }]) => [name, work.three]);
  // With a loop the process that creates an instance runs it at once, unless a claim of its loop is under way (a trip more);
  // elsewhere its claim is a trip of its own.
  const looping = {
    trips: expect.toSatisfy((trips) => trips === 4 || trips === 5),
    invocations: 0,
  };
  expect(Object.fromEntries(three)).toEqual({
    node: looping,
    bun: looping,
    deno: { trips: 5, invocations: 1 },
    awsLambda: { trips: 5, invocations: 1 },
    vercel: { trips: 4, invocations: 0 },
    netlify: { trips: 5, invocations: 1 },
    cloudflare: { trips: 5, invocations: 1 },
  });
  for (const { ours, bare } of Object.values(platforms)) {
    if (ours === null || bare === null) continue;
    expect(ours.bytes).toBeGreaterThan(bare.bytes);
    expect(ours.gzipBytes).toBeLessThan(ours.bytes);
  }
}, 180_000);

test.runIf(TODAY.includes("--against"))(
  "with --against they print ours, theirs and ratio of each metric that two commits are compared by",
  async () => {
    const postgres = ["--postgres", inject("postgresUrl")];
    const { code, stdout } = await bench([
      "--against",
      "HEAD",
      "--size",
      "tiny",
      "--json",
      ...postgres,
    ]);
    expect(code).toBe(0);
    const { against } = JSON.parse(stdout) as { against: Record<string, Record<string, number>> };
    expect(Object.keys(against)).toEqual([
      "w1OneAtATimeMs",
      "w1ThroughputPerSecond",
      "w2StepMs",
      "w2ResumeMs",
      "w5FanMs",
    ]);
    for (const { ours = 0, theirs = 0, ratio } of Object.values(against)) {
      expect(ratio).toBe(ours / theirs);
    }
  },
  180_000,
);

test.runIf(TODAY.includes("--loop"))(
  "with --loop they print what an iteration costs by position and what a resume of many places costs, in memory too",
  async () => {
    const { code, stdout } = await bench([
      "--loop",
      "--size",
      "tiny",
      "--store",
      "embedded",
      "--json",
    ]);
    expect(code).toBe(0);
    const { loop } = JSON.parse(stdout) as {
      loop: Record<string, { loop: { rows: number }[]; places: { ratio: number } }>;
    };
    expect(Object.keys(loop)).toEqual(["memory", "embedded"]);
    for (const { loop: positions, places } of Object.values(loop)) {
      // Counts are no measurements: each window of a hundred reads the same.
      expect(new Set(positions.map(({ rows }) => rows)).size).toBe(1);
      expect(places.ratio).toBeTypeOf("number");
    }
  },
  120_000,
);

test("arguments that make no sense are refused with the usage", async () => {
  const { code, stdout } = await bench(["--store", "oracle"]);
  expect(code).toBe(2);
  expect(stdout).toBe("");
});
