import { describe, expect, it } from "vitest";
import { RetryableError, WorkflowError } from "../index.ts";

/** As a JavaScript caller would write it. */
const untyped = (options: object): never => options as never;
const fieldsOf = ({ retryAfterMs, retryAt }: RetryableError): object => ({ retryAfterMs, retryAt });

describe("S6-024 RetryableError", () => {
  it("is an error like any other, with its cause", () => {
    const cause = new TypeError("socket");
    const error = new RetryableError("busy", { retryAfter: "5 seconds", cause });
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.message, error.cause]).toEqual(["RetryableError", "busy", cause]);
    expect(error.stack).toContain("retryable-error.test.ts");
    expect(WorkflowError.is(error)).toBe(false);
  });

  it("without options it leaves the delay to the policy", () => {
    const error = new RetryableError("busy");
    expect(fieldsOf(error)).toEqual({});
    expect(Object.keys(error)).toEqual(["name"]);
    expect("cause" in error).toBe(false);
  });

  it("takes a length of time or an instant, which later changes of the Date do not move", () => {
    const at = new Date("2026-11-25T10:00:00Z");
    const dated = new RetryableError("busy", { retryAfter: at });
    at.setTime(0);
    expect(fieldsOf(dated)).toEqual({ retryAt: new Date("2026-11-25T10:00:00Z") });
    expect(fieldsOf(new RetryableError("busy", { retryAfter: 1500 }))).toEqual({
      retryAfterMs: 1500,
    });
    expect(fieldsOf(new RetryableError("busy", { retryAfter: "2 minutes" }))).toEqual({
      retryAfterMs: 120_000,
    });
  });

  it.each([
    ["0", 0],
    ["120", 120_000],
    [" 7 ", 7000],
    ["9".repeat(400), 365 * 86_400_000],
  ])("reads %j of the header as seconds", (retryAfterHeader, retryAfterMs) => {
    expect(fieldsOf(new RetryableError("busy", { retryAfterHeader }))).toEqual({ retryAfterMs });
  });

  it.each(["Wed, 25 Nov 2026 10:00:00 GMT", "Wednesday, 25-Nov-26 10:00:00 GMT"])(
    "reads %j of the header as an instant",
    (retryAfterHeader) => {
      const retryAt = new Date("2026-11-25T10:00:00Z");
      expect(fieldsOf(new RetryableError("busy", { retryAfterHeader }))).toEqual({ retryAt });
    },
  );

  it.each([null, undefined, "", "soon", "1.5", "-1", "1e3", "0x10", "2026-11-25", "Wed, x GMT"])(
    "a header of %j is a stranger's: what the author says holds, else the policy",
    (retryAfterHeader) => {
      const given = untyped({ retryAfterHeader });
      expect(fieldsOf(new RetryableError("busy", given))).toEqual({});
      const withOther = untyped({ retryAfterHeader, retryAfter: "1 minute" });
      expect(fieldsOf(new RetryableError("busy", withOther))).toEqual({ retryAfterMs: 60_000 });
    },
  );

  it("the header goes before what the author says", () => {
    const options = { retryAfterHeader: "2", retryAfter: "1 minute" } as const;
    expect(fieldsOf(new RetryableError("busy", options))).toEqual({ retryAfterMs: 2000 });
  });

  it.each([-1, Number.NaN, Infinity, "soon", "120", null, {}, new Date(Number.NaN)])(
    "refuses %j, and says which error it was",
    (retryAfter) => {
      expect(() => new RetryableError("busy", untyped({ retryAfter }))).toThrow(
        expect.objectContaining({
          code: "INVALID_DURATION",
          message: expect.stringContaining('retryAfter of RetryableError "busy" is '),
        }),
      );
    },
  );

  it("refuses an option that nothing reads", () => {
    expect(() => new RetryableError("busy", untyped({ retryAftr: 5 }))).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION", details: expect.anything() }),
    );
  });
});
