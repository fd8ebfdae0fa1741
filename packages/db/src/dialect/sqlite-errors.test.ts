import { expect, test } from "vitest";
import { classifySqliteError } from "./sqlite-errors.ts";

const driverError = (code: string, message = "from the driver", cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code });

const nodeError = (errcode: number | undefined, message = "from the driver"): Error =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode });

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
  [driverError("SERVER_ERROR", "401", { status: 401 }), { code: "DATABASE_ACCESS_REFUSED" }],
  [driverError("SERVER_ERROR", "404", { status: 404 }), { code: "DATABASE_ACCESS_REFUSED" }],
  [driverError("SERVER_ERROR", "507", { status: 507 }), { code: "DATABASE_REJECTED" }],
  [driverError("SQLITE_READONLY_DIRECTORY"), { code: "DATABASE_ACCESS_REFUSED" }],
  [driverError("SQLITE_NOTADB"), { code: "DATABASE_ACCESS_REFUSED" }],
  [nodeError(8), { code: "DATABASE_ACCESS_REFUSED" }],
  [nodeError(undefined, "file is not a database"), { code: "DATABASE_ACCESS_REFUSED" }],
  [nodeError(5), { reason: "busy" }],
  [nodeError(261), { reason: "busy" }],
  [nodeError(undefined, "database is locked"), { reason: "busy" }],
  [nodeError(778), { code: "DATABASE_UNAVAILABLE" }],
  [nodeError(undefined, "unable to open database file"), { code: "DATABASE_UNAVAILABLE" }],
  [nodeError(1, "bad JSON path: 'escapement-guard:held'"), { guard: "held" }],
  [nodeError(1299, "NOT NULL constraint failed: t.b"), { code: "DATABASE_REJECTED" }],
  [new TypeError("fetch failed"), { code: "DATABASE_UNAVAILABLE" }],
  [new RangeError("too large"), { code: "DATABASE_REJECTED" }],
  ["text", { code: "DATABASE_REJECTED" }],
])("%s", (error, expected) => {
  expect(classifySqliteError(error)).toMatchObject(expected);
});

// Messages of workerd 1.20260426 (seen 2026-11), and https://developers.cloudflare.com/d1/observability/debug-d1/.
test.each([
  ["bad JSON path: 'escapement-guard:a-1': SQLITE_ERROR", { guard: "a-1" }],
  [
    "D1_ERROR: UNIQUE constraint failed: t.a, t.b: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)",
    { kind: "unique", constraint: "t.a, t.b" },
  ],
  [
    "UNIQUE constraint failed: index 'lower_word': SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)",
    { kind: "unique", constraint: "lower_word" },
  ],
  ["database or disk is full: SQLITE_FULL", { code: "DATABASE_UNAVAILABLE" }],
  ["D1_ERROR: no such table: t: SQLITE_ERROR", { code: "DATABASE_REJECTED" }],
  ["D1_TYPE_ERROR: Type 'bigint' not supported for value '5'", { code: "DATABASE_REJECTED" }],
  ["D1_ERROR: Network connection lost.", { code: "DATABASE_UNAVAILABLE" }],
  ["D1_ERROR: D1 DB reset because its code was updated.", { code: "DATABASE_UNAVAILABLE" }],
  [
    "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
    { code: "DATABASE_UNAVAILABLE" },
  ],
  [
    "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
    { code: "DATABASE_UNAVAILABLE" },
  ],
  [
    "D1_ERROR: Can't read from request stream because client disconnected.",
    { code: "DATABASE_UNAVAILABLE" },
  ],
  [
    "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
    { code: "DATABASE_UNAVAILABLE" },
  ],
  ["D1_ERROR: D1 DB exceeded its CPU time limit and was reset.", { code: "DATABASE_UNAVAILABLE" }],
])("of workerd: %s", (message, expected) => {
  expect(classifySqliteError(new Error(message))).toMatchObject(expected);
});
