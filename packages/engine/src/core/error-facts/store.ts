/** Codes of the store, and of runs that the store cannot continue. Part of `core/error-facts.ts`. */

export const STORE_FACTS = {
  CRASH_LOOP: {
    when: "Ten processes in a row, by default, died while they held the run, and it made no progress.",
    fix: "Find what kills the process (memory, process.exit, a native crash) and fix it, then retry or restart the instance.",
  },
  COMMIT_REFUSED: {
    when: "The database refuses to store the run's changes, and trying again would not help.",
    fix: "The details and the cause say what was refused. Change the code so that it writes something else, then restart the instance.",
  },
  STORE_UNAVAILABLE: {
    when: "The database cannot be reached, or it closed the connection. Or the engine was closed before the call.",
    fix: "Try again, and check the database. A code in brackets is the system's (ECONNREFUSED) or a state of Postgres: 25006 it takes no writes now, 53300 too many connections, 57014 and 25P04 a time limit. After engine.close(), create a new engine.",
  },
  ENGINE_CLOSED: {
    when: "The engine was closed, by engine.close(), by the platform's stop() or by a signal, while you waited for an instance.",
    fix: "The instance is stored and goes on where its workflow runs. Wait for it there, or in this program when it is started again: get it by the id in details.instanceId.",
  },
  SCHEMA_MISMATCH: {
    when: "The tables are missing, or they are those of another version.",
    fix: 'Migrate with this version: run `escapement migrate` or store.migrate(), or let the store do it with `migrations: "auto"`.',
  },
  TRANSACTION_CONFLICT: {
    when: "Another writer was faster than the transaction that you gave to engine.with: a serialization failure, a deadlock, a busy file or a row that stayed locked.",
    fix: "Roll the transaction back and run it again from its beginning; the cause is the driver's own error.",
  },
  TRANSACTION_UNUSABLE: {
    when: "engine.with was not given an open transaction on the database of the engine's store, or the transaction has failed or ended, may only read, is a synchronous one of Drizzle, or a result was awaited in it.",
    fix: "Pass the transaction's own client, not the pool or the instance that began it. After the commit, use the engine itself. With Fragno, use createFragnoAdapter.",
  },
  STORE_OPTIONS_INVALID: {
    when: "The store's URL, file or options cannot work, or its driver is not installed. Or there is no such database, user or token, or it lacks a right.",
    fix: "Read the message; it names what is wrong and never repeats the URL, which may hold a password. The rights that a user needs are in docs/databases.md; no run ends because one is missing.",
  },
} as const;
