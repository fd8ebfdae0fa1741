import { expect, it } from "vitest";
import { assertInvariant, toLogFields, WorkflowError } from "./errors.ts";
import { NonRetryableError } from "./author-errors.ts";
import { statusOf } from "./error-codes.ts";

it("S0-054 NonRetryableError(message, name?) extends Error", () => {
  const error = new NonRetryableError("no", "CardDeclined");
  expect(error).toBeInstanceOf(Error);
  expect([error.message, error.name, error.code]).toEqual(["no", "CardDeclined", "NON_RETRYABLE"]);
  expect(new NonRetryableError("no").name).toBe("NonRetryableError");
});

it("an error is recognised across two copies of the package by its brand", () => {
  const foreign = Object.defineProperty(
    new Error("x"),
    Symbol.for("@escapement/engine/WorkflowError"),
    { value: true },
  );
  expect(WorkflowError.is(foreign)).toBe(true);
  expect(WorkflowError.is(new WorkflowError("INVALID_CURSOR", "x"))).toBe(true);
  for (const other of [new Error("x"), null, undefined, "x", {}])
    expect(WorkflowError.is(other)).toBe(false);
});

it("an error carries status, docs, details, cause and whether trying again can help", () => {
  const cause = new TypeError("socket");
  const error = new WorkflowError("STORE_UNAVAILABLE", "down", { host: "db" }, cause);
  expect(error).toMatchObject({ retryable: true, details: { host: "db" }, cause });
  expect(error.docs).toMatch(/STORE_UNAVAILABLE$/u);
  expect(new WorkflowError("INVALID_CURSOR", "x").retryable).toBe(false);
  expect([
    statusOf("INVALID_CURSOR"),
    statusOf("STORE_UNAVAILABLE"),
    statusOf("STEP_FAILED"),
  ]).toEqual([400, 503, 500]);
});

it("a broken invariant names itself", () => {
  expect(() => assertInvariant(false, "sun rose in the west", { at: 1 })).toThrow(
    expect.objectContaining({ code: "INVARIANT_BROKEN", details: { at: 1 } }),
  );
  expect(() => assertInvariant(true, "fine")).not.toThrow();
});

it("a log line says why: the cause stands behind the error, and one that cannot be shown breaks nothing", () => {
  const cause = new Error("connect ECONNREFUSED 127.0.0.1:5432");
  const away = new WorkflowError("STORE_UNAVAILABLE", "The database cannot be reached", {}, cause);
  expect(toLogFields(away)).toEqual({
    code: "STORE_UNAVAILABLE",
    error:
      "WorkflowError: The database cannot be reached: Error: connect ECONNREFUSED 127.0.0.1:5432",
  });
  const mute = new WorkflowError("STORE_UNAVAILABLE", "away", {}, Object.create(null));
  expect(toLogFields(mute)).toMatchObject({
    error: "WorkflowError: away: an error that cannot be shown",
  });
});
