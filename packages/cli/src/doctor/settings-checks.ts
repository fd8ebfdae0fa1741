/** Settings of a database: whether acknowledged commits survive, and whether it accepts what the engine sends. */
import type { Row } from "@escapement/db";
import { type Finding, ok, skipped, wrong } from "./finding.ts";

/** One statement per database. */
export const SETTINGS: Readonly<Record<"postgres" | "sqlite", string>> = {
  postgres:
    "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit, " +
    "current_setting('full_page_writes') as full_page_writes, " +
    "current_setting('server_encoding') as encoding, " +
    "current_setting('default_transaction_isolation') as isolation, " +
    "current_setting('default_transaction_read_only') as read_only, " +
    "case when pg_is_in_recovery() then 'on' else 'off' end as replica, " +
    "current_setting('neon.timeline_id', true) as neon",
  sqlite: "select journal_mode from pragma_journal_mode",
};

/** @param row the result of the statement; absent: the server does not tell */
export function toSettings(name: keyof typeof SETTINGS, row: Row | undefined): readonly Finding[] {
  if (row === undefined) return [skipped("durability", "this server does not show its settings")];
  if (name === "sqlite") return [toJournalFinding(String(row["journal_mode"]))];
  return [
    toDurability(row),
    toIsolation(String(row["isolation"])),
    toWritable(row),
    toEncoding(String(row["encoding"])),
  ];
}

const LOST =
  "if its machine crashes, acknowledged commits may be lost and completed steps may run again";

function toJournalFinding(mode: string): Finding {
  if (mode === "wal") return ok("durability", "journal_mode is wal");
  if (mode === "off" || mode === "memory")
    return wrong("durability", "fail", [
      `journal_mode is ${mode}`,
      LOST,
      "set journal_mode to wal",
    ]);
  return wrong("durability", "warn", [
    `journal_mode is ${mode}`,
    "readers block writers, so processes wait for each other and may find it busy",
    "set journal_mode to wal; `sqlite(file)` of the engine does",
  ]);
}

function toDurability(row: Row): Finding {
  const isNeon = row["neon"] !== null;
  const names = ["fsync", "synchronous_commit", "full_page_writes"];
  const off = names.filter((name) => row[name] === "off");
  // Neon keeps acknowledged commits elsewhere.
  if (isNeon || off.length === 0) return ok("durability", "what is committed survives a crash");
  return wrong("durability", "fail", [
    `${off.join(" and ")} ${off.length === 1 ? "is" : "are"} off`,
    LOST,
    "switch on what is off, for the server or for this role and database (alter database … reset …)",
  ]);
}

function toIsolation(level: string): Finding {
  if (level === "read committed") return ok("isolation", "read committed");
  return wrong("isolation", "warn", [
    `default_transaction_isolation is ${level}`,
    "the engine locks what it changes and needs only read committed; at this level commits conflict and are retried, so it gets slower with every process",
    "alter role or database: set default_transaction_isolation = 'read committed'",
  ]);
}

function toWritable(row: Row): Finding {
  if (row["replica"] !== "on" && row["read_only"] !== "on")
    return ok("writable", "it takes writes");
  return wrong("writable", "fail", [
    row["replica"] === "on" ? "it is a replica" : "default_transaction_read_only is on",
    "every write fails",
    "connect to the primary, by a role that may write",
  ]);
}

function toEncoding(encoding: string): Finding {
  if (encoding === "UTF8") return ok("encoding", "UTF8");
  const isBytes = encoding === "SQL_ASCII";
  return wrong("encoding", isBytes ? "warn" : "fail", [
    `the database's encoding is ${encoding}`,
    isBytes
      ? "it stores bytes unchecked: the engine may be unable to read text that something else has written"
      : "text with a character outside that encoding cannot be stored: a create with such text is refused, and a run whose step returns it fails with COMMIT_REFUSED",
    "make a database with `encoding 'UTF8' template template0`, and move the tables with pg_dump",
  ]);
}
