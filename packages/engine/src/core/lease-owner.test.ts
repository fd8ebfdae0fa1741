import { expect, test } from "vitest";
import { runnerOf, toClaimToken } from "./lease-owner.ts";

test("S8-008 a claim's token tells which process holds the lease", () => {
  const life = "a1";
  const of = (runnerId: string | null, runner: string): string | null =>
    runnerOf(toClaimToken({ runnerId, life, runner }, "id-1"));
  expect(of("pod-0", "pod-0")).toBe("pod-0");
  expect(of(null, "k3f9")).toBe("k3f9");
  expect(of(null, "2026/11/27[$LATEST]a~b@c")).toBe("2026/11/27[$LATEST]a~b@c");
});

test("S8-008 a token that names no process tells of none", () => {
  for (const token of [null, "", "abc123", "abc@", "~", "@"]) expect(runnerOf(token)).toBeNull();
});

test("leases of a process that has no lasting name are no former life of one that has", () => {
  const token = toClaimToken({ runnerId: null, life: "a1", runner: "pod-0~a1" }, "pod-0");
  expect(token.startsWith("pod-0~")).toBe(false);
});

test("a token does not say twice what the ids of a nameless process end with, and tells the process all the same", () => {
  const holder = { runnerId: null, life: "a1", runner: "k3f9" };
  const token = toClaimToken(holder, "0001k3f9");
  expect(token).toBe("0001@k3f9");
  expect(runnerOf(token)).toBe("k3f9");
});
