/** Filters of the list in addresses, queries and bulk jobs. */
import { afterEach, expect, test, vi } from "vitest";
import { toAddressTime, toBulkFilter, toFieldTime, toQuery } from "./instance-filters.ts";

afterEach(() => vi.unstubAllEnvs());

test("S8-008 a time in an address means the same instant in every zone", () => {
  vi.stubEnv("TZ", "America/New_York");
  const from = toAddressTime("2026-11-27T09:00");
  expect(toFieldTime(from)).toBe("2026-11-27T09:00");
  vi.stubEnv("TZ", "Asia/Tokyo");
  expect(toFieldTime(from)).toBe("2026-11-27T23:00");
  expect(toQuery({ from }).createdFrom).toBe(Date.parse("2026-11-27T14:00Z"));
});

test("S8-004 a time that is none is never left out: without it, a job would meet more", () => {
  const filter = toBulkFilter({ status: "errored", from: "yesterday" });
  expect(JSON.parse(JSON.stringify(filter))).toEqual({ status: ["errored"], createdFrom: null });
});

test("S8-008 stuck instances are found, and met by a job, whatever their status", () => {
  expect(toQuery({ status: "stuck" })).toMatchObject({ stuck: true });
  expect(JSON.parse(JSON.stringify(toBulkFilter({ status: "stuck" })))).toEqual({ stuck: true });
});
