/** Codes of the store, and of runs that it cannot go on with. Part of `core/error-facts.ts`. */

export const STORE_FACTS = {
  CRASH_LOOP: {
    when: "As many processes in a row as the limit allows died while they held the run, without progress.",
    fix: "Find what kills the process (memory, process.exit, a native crash), then restart the instance.",
  },
  COMMIT_REFUSED: {
    when: "The database refuses for good to store what the run has come to.",
    fix: "details and cause say what was refused; restart the instance once the code writes something else.",
  },
  STORE_UNAVAILABLE: {
    when: "The database cannot be reached or closed the connection.",
    fix: "Try again; check the database.",
  },
  SCHEMA_MISMATCH: {
    when: "The tables are missing or of another version.",
    fix: 'Run migrate() or store.migrate() of this version, or let the store do it: `migrations: "auto"`.',
  },
  TRANSACTION_CONFLICT: {
    when: "In a transaction given to engine.with, another writer was there first: a serialization failure, a deadlock, a busy file or a row that stayed locked.",
    fix: "Roll the transaction back and run it again from its beginning; the error's cause is the driver's own.",
  },
  TRANSACTION_UNUSABLE: {
    when: "What engine.with was given is no open transaction on the database of the engine's store, or has failed before, or has ended; or a result was awaited in it. Or a rewind or a fork was asked for in a transaction of one of Fragno's own adapters.",
    fix: "Give the transaction's own client, not the pool or the instance that began it; after the commit use the engine itself. With Fragno use createFragnoAdapter.",
  },
  STORE_OPTIONS_INVALID: {
    when: "The URL, the file or the options that a store is to be made from cannot work, or its driver is not installed.",
    fix: "Read the message; it names what is wrong and never repeats the URL, which may hold a password.",
  },
} as const;
