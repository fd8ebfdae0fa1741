import { describe, expect, test } from "vitest";
import { createRouteLookup } from "./find-route.ts";
import { limitLog } from "./limited-log.ts";
import { parseMountRoute } from "./mount.ts";

const find = createRouteLookup("/api/workflows");
const nameOf = (method: string, url: string): unknown => {
  const found = find(method, new URL(url, "http://host.test").pathname);
  return found === null ? "broken" : (found.routeName ?? found.allow);
};

describe("a route is found by the decoded path, once", () => {
  test.each([
    ["GET", "/api/workflows/workflows", "listWorkflows"],
    ["GET", "/api/workflows/%77orkflows", "listWorkflows"],
    ["GET", "/%61pi/workflows/workflows/", "listWorkflows"],
    ["GET", "/api/workflows/x/../workflows", "listWorkflows"],
    ["GET", "/api/workflows/x/%2e%2E/workflows", "listWorkflows"],
    ["POST", "/api/workflows/_runner/tick", "tick"],
    ["POST", "/api/workflows/_runner/%74ick", "tick"],
    ["POST", "/api/workflows/%5Frunner/tick/", "tick"],
    ["GET", "/api/workflows/_runner/tick", "tickByGet"],
    ["POST", "/api/workflows/workflows/a/instances/batch", "createBatch"],
    ["GET", "/api/workflows/workflows/a/instances/batch", "getInstance"],
    ["HEAD", "/api/workflows/workflows/a/instances/b", "getInstance"],
  ])("S5-040 %s %s is %s", (method, url, name) => expect(nameOf(method, url)).toBe(name));

  test.each([
    ["/api/workflows//workflows", []],
    ["/api/workflows/workflows//", []],
    ["//api/workflows/workflows", []],
    ["/api/workflows%2Fworkflows", []],
    ["/api/workflows/_runner%2Ftick", []],
    ["/api/workflows/_runner/%2574ick", []],
    ["/api/workflows/_runner/Tick", []],
    ["/api/workflows/workflows/a/instances/%zz", "broken"],
    ["/api/workflows/workflows/%C0%AE/instances", "broken"],
  ])("S5-040 GET %s is nobody's", (url, expected) => expect(nameOf("GET", url)).toEqual(expected));

  test("HEAD does not tick", () => {
    expect(nameOf("HEAD", "/api/workflows/_runner/tick")).toEqual(["POST", "GET"]);
  });

  test("segments are decoded once, and one that holds a slash stays one", () => {
    const found = find("GET", "/api/workflows/workflows/%6Frders%2F1/instances/%2541");
    expect(found).toMatchObject({ params: { workflowName: "orders/1", instanceId: "%41" } });
  });
});

test("a mount path of 100 kB is refused at once, however it is made", () => {
  for (const path of ["/".repeat(100_000), `${"/".repeat(100_000)}x!`, "/a".repeat(50_000)]) {
    const startedAt = process.cpuUsage();
    expect(() => parseMountRoute(path)).toThrow(
      expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
    );
    const { user, system } = process.cpuUsage(startedAt);
    expect(user + system).toBeLessThan(200_000);
  }
  expect([parseMountRoute("/"), parseMountRoute("/a/b//")]).toEqual(["", "/a/b"]);
});

test("what strangers repeat is one line a minute, with the number of the others", () => {
  let now = 0;
  const lines: unknown[] = [];
  const { log } = limitLog({ log: (_level, _event, fields) => void lines.push(fields) }, () => now);
  const refuse = (code: string): void => log("warn", "http.refused", { code, route: "tick" });
  for (let count = 0; count < 1000; count += 1) refuse("TICK_UNAUTHORIZED");
  refuse("TICK_DISABLED");
  now = 60_000;
  refuse("TICK_UNAUTHORIZED");
  expect(lines).toEqual([
    { code: "TICK_UNAUTHORIZED", route: "tick" },
    { code: "TICK_DISABLED", route: "tick" },
    { code: "TICK_UNAUTHORIZED", route: "tick", repeated: 999 },
  ]);
});

test("however many kinds of lines there are, few are remembered", () => {
  const lines: unknown[] = [];
  const { log } = limitLog({ log: (_level, _event, fields) => void lines.push(fields) }, () => 0);
  for (let count = 0; count < 5000; count += 1)
    log("warn", "http.refused", { code: "TICK_UNAUTHORIZED", route: `route ${count}` });
  expect(lines).toHaveLength(101);
  for (let count = 0; count < 10; count += 1) log("error", "http.failed", { code: "X" });
  expect(lines).toHaveLength(111);
});
