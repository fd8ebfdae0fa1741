import { expect, test } from "vitest";
import { classifySqliteError } from "./sqlite-errors.ts";

const driverError = (code: string, message = "from the driver", cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code });

test.each([
  [driverError("SQLITE_BUSY"), { kind: "conflict", reason: "busy", guard: null }],
  [driverError("SQLITE_BUSY_SNAPSHOT"), { kind: "conflict", reason: "busy" }],
  [driverError("SQLITE_LOCKED_SHAREDCACHE"), { kind: "conflict", reason: "busy" }],
  [
    driverError("SQLITE_ERROR", "bad JSON path: 'escapement-guard:held'"),
    { reason: "guard", guard: "held" },
  ],
  [
    driverError("SQLITE_UNKNOWN", "SQLite error: bad JSON path: 'escapement-guard:a-b'"),
    { guard: "a-b" },
  ],
  [
    driverError("SQLITE_CONSTRAINT_UNIQUE", "UNIQUE constraint failed: t.a, t.b"),
    { kind: "unique", constraint: "t.a, t.b" },
  ],
  [
    driverError("SQLITE_CONSTRAINT", "SQLite error: UNIQUE constraint failed: index 'lower_word'"),
    { kind: "unique", constraint: "lower_word" },
  ],
  [
    driverError("SQLITE_CONSTRAINT_NOTNULL", "NOT NULL constraint failed: t.a"),
    { code: "DATABASE_REJECTED" },
  ],
  [driverError("SQLITE_FULL", "database or disk is full"), { code: "DATABASE_UNAVAILABLE" }],
  [driverError("SQLITE_IOERR_WRITE"), { code: "DATABASE_UNAVAILABLE" }],
  [driverError("HRANA_WEBSOCKET_ERROR"), { code: "DATABASE_UNAVAILABLE" }],
  [driverError("SERVER_ERROR", "503", { status: 503 }), { code: "DATABASE_UNAVAILABLE" }],
  [driverError("SERVER_ERROR", "401", { status: 401 }), { code: "DATABASE_REJECTED" }],
  [new TypeError("fetch failed"), { code: "DATABASE_UNAVAILABLE" }],
  [new RangeError("too large"), { code: "DATABASE_REJECTED" }],
  ["text", { code: "DATABASE_REJECTED" }],
])("%s", (error, expected) => {
  expect(classifySqliteError(error)).toMatchObject(expected);
});
