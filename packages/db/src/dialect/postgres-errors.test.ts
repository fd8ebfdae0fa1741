import { expect, test } from "vitest";
import { DatabaseError } from "../errors.ts";
import { classifyPostgresError, endsConnection } from "./postgres-errors.ts";

const serverError = (code: string, severity = "ERROR", constraint?: string): Error =>
  Object.assign(new Error("from the server"), { code, severity, constraint });

test.each([
  ["40001", { kind: "conflict", reason: "serialization", guard: null }],
  ["40P01", { kind: "conflict", reason: "deadlock", guard: null }],
  ["55P03", { kind: "conflict", reason: "locked", guard: null }],
  ["23505", { kind: "unique", constraint: "" }],
  ["22P02", { code: "DATABASE_REJECTED" }],
  ["08006", { code: "DATABASE_UNAVAILABLE" }],
  ["08P01", { code: "DATABASE_REJECTED" }],
  ["25006", { code: "DATABASE_UNAVAILABLE" }],
  ["53100", { code: "DATABASE_UNAVAILABLE" }],
  ["53300", { code: "DATABASE_UNAVAILABLE" }],
  ["57014", { code: "DATABASE_UNAVAILABLE" }],
  ["58030", { code: "DATABASE_UNAVAILABLE" }],
  ["23503", { code: "DATABASE_REJECTED" }],
  ["42P01", { code: "DATABASE_REJECTED" }],
  ["42501", { code: "DATABASE_REJECTED" }],
])("SQLSTATE %s", (code, expected) => {
  expect(classifyPostgresError(serverError(code))).toMatchObject(expected);
  expect(endsConnection(serverError(code))).toBe(false);
});

test.each(["57P01", "57P02", "57P03", "08P01", "XX000"])(
  "a fatal %s is a lost connection",
  (code) => {
    expect(classifyPostgresError(serverError(code, "FATAL"))).toMatchObject({
      code: "DATABASE_UNAVAILABLE",
    });
    expect(endsConnection(serverError(code, "FATAL"))).toBe(true);
  },
);

test.each(["28P01", "28000", "3D000", "42501"])(
  "a fatal %s is a mistake in the settings",
  (code) => {
    expect(classifyPostgresError(serverError(code, "FATAL"))).toMatchObject({
      code: "DATABASE_ACCESS_REFUSED",
    });
  },
);

test("a password that pg misses, before the server is asked, is a mistake in the settings", () => {
  const error = new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string");
  expect(classifyPostgresError(error)).toMatchObject({ code: "DATABASE_ACCESS_REFUSED" });
});

test.each([
  ["The server does not support SSL connections", undefined],
  ["self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"],
])(
  "a TLS that the URL asks for and the server has not is a mistake in the settings: %s",
  (message, code) => {
    expect(classifyPostgresError(Object.assign(new Error(message), { code }))).toMatchObject({
      code: "DATABASE_ACCESS_REFUSED",
      message,
    });
  },
);

test.each(["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT"])(
  "%s of the socket is a lost connection",
  (code) => {
    const error = Object.assign(new Error("socket"), { code });
    expect(classifyPostgresError(error)).toMatchObject({
      code: "DATABASE_UNAVAILABLE",
      cause: error,
    });
    expect(endsConnection(error)).toBe(true);
  },
);

test.each([
  ["Server error (HTTP status 503): overloaded", "DATABASE_UNAVAILABLE"],
  ["Server error (HTTP status 429): slow down", "DATABASE_UNAVAILABLE"],
  ["Server error (HTTP status 507): response is too large", "DATABASE_REJECTED"],
  ["Server error (HTTP status 404): not found", "DATABASE_ACCESS_REFUSED"],
  ["Error connecting to database: TypeError: fetch failed", "DATABASE_UNAVAILABLE"],
])("of Neon's driver: %s", (message, code) => {
  expect(classifyPostgresError(new Error(message))).toMatchObject({ code });
});

test("what Neon's endpoint refuses before any server is asked is refused for good", () => {
  const error = Object.assign(new Error("password authentication failed"), {
    code: "",
    severity: "",
  });
  expect(classifyPostgresError(error)).toMatchObject({ code: "DATABASE_ACCESS_REFUSED" });
});

test("a unique violation names its constraint, and an error of ours stays as it is", () => {
  expect(classifyPostgresError(serverError("23505", "ERROR", "thing_pkey"))).toEqual({
    kind: "unique",
    constraint: "thing_pkey",
  });
  const own = new DatabaseError("DATABASE_REJECTED", "ours");
  expect(classifyPostgresError(own)).toBe(own);
  expect(endsConnection(own)).toBe(false);
});
