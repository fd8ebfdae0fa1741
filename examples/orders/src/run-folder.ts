/** The files of one run: what makes it possible to go on after the demo itself was killed. */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, DemoError, toDiskTrouble } from "./demo-error.ts";
import { openLog } from "./append-log.ts";
import type { Order } from "./order.ts";

/** Beginning of every file and folder that a run makes; nothing else is ever removed. */
const OURS =
  /^(run\.json|run\.lock|orders\.db(-wal|-shm)?|ledger\.jsonl|stock\.jsonl|kills\.jsonl|receipts|trips)(\..*draft)?$/;

export interface RunFolder {
  readonly path: string;
  /** Tells this run's instances from others' in a shared database. */
  readonly runId: string;
  /** Whether an earlier demo left this run unfinished. */
  readonly isContinued: boolean;
  readonly databasePath: string;
  readonly ledgerPath: string;
  readonly stockPath: string;
  readonly receiptsFolder: string;
  readonly tripsFolder: string;
  /** Kills so far, in all starts of the run. */
  readonly killCount: number;
  noteKill(pid: number): void;
  /** The next demo in this folder starts anew. */
  finish(): void;
  /** Lets another demo in. */
  close(): void;
}

export interface OpenRunOptions {
  readonly path: string;
  readonly orders: readonly Order[];
  /** Which database, without secrets: a run cannot go on in another one. */
  readonly place: string;
  readonly isFresh: boolean;
}

interface RunRecord {
  readonly runId: string;
  readonly ordersHash: string;
  readonly place: string;
  readonly isFinished: boolean;
}

/**
 * Opens the folder for a new run, or for the one that was left in it.
 *
 * @throws {DemoError} the folder cannot be written, belongs to something else, is in use, or holds another run
 */
export function openRunFolder(options: OpenRunOptions): RunFolder {
  try {
    return openRun(options);
  } catch (error) {
    const trouble = error instanceof DemoError ? null : toDiskTrouble(error, options.path);
    throw trouble === null ? error : new DemoError(`${trouble}; choose another place with --dir`);
  }
}

function openRun({ path, orders, place, isFresh }: OpenRunOptions): RunFolder {
  mkdirSync(path, { recursive: true });
  const foreign = readdirSync(path).filter((name) => !OURS.test(name));
  if (foreign.length > 0)
    throw new DemoError(`${path} has files that are not the demo's, such as ${foreign[0]}`);
  lock(path);
  const ordersHash = createHash("sha256").update(JSON.stringify(orders)).digest("hex");
  const earlier = isFresh ? null : readRecord(path);
  const isContinued = earlier !== null && !earlier.isFinished;
  if (isContinued) assertSame(path, earlier, { ordersHash, place });
  else clear(path);
  const record: RunRecord = isContinued
    ? earlier
    : { runId: randomBytes(4).toString("hex"), ordersHash, place, isFinished: false };
  writeRecord(path, record);
  for (const name of ["receipts", "trips"]) mkdirSync(join(path, name), { recursive: true });
  return toRunFolder(path, record, isContinued);
}

function toRunFolder(path: string, record: RunRecord, isContinued: boolean): RunFolder {
  let killCount = 0;
  const kills = openLog(join(path, "kills.jsonl"), () => {
    killCount += 1;
  });
  return {
    path,
    runId: record.runId,
    isContinued,
    databasePath: join(path, "orders.db"),
    ledgerPath: join(path, "ledger.jsonl"),
    stockPath: join(path, "stock.jsonl"),
    receiptsFolder: join(path, "receipts"),
    tripsFolder: join(path, "trips"),
    get killCount() {
      return killCount;
    },
    noteKill: (pid) => {
      killCount += 1;
      kills.append({ pid });
    },
    finish: () => writeRecord(path, { ...record, isFinished: true }),
    close: () => rmSync(join(path, "run.lock"), { force: true }),
  };
}

function assertSame(
  path: string,
  earlier: RunRecord,
  now: Omit<RunRecord, "runId" | "isFinished">,
): void {
  const differs =
    earlier.ordersHash !== now.ordersHash
      ? "with other orders"
      : earlier.place !== now.place
        ? `on another database (${earlier.place})`
        : null;
  if (differs === null) return;
  rmSync(join(path, "run.lock"), { force: true });
  throw new DemoError(
    `${path} holds an unfinished run ${differs}; finish it with the same options, start over with --fresh, or use another --dir`,
  );
}

/** One demo per folder. The lock of a demo that was killed does not count. */
function lock(path: string): void {
  const file = join(path, "run.lock");
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      return;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    const pid = Number(readFileSync(file, "utf8"));
    if (isAlive(pid)) throw new DemoError(`another demo (process ${pid}) is running in ${path}`);
    rmSync(file, { force: true });
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function readRecord(path: string): RunRecord | null {
  try {
    return JSON.parse(readFileSync(join(path, "run.json"), "utf8")) as RunRecord;
  } catch {
    // None, or one that was never written whole: nothing was started then.
    return null;
  }
}

function writeRecord(path: string, record: RunRecord): void {
  const draft = join(path, "run.json.draft");
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(draft, join(path, "run.json"));
}

function clear(path: string): void {
  for (const name of readdirSync(path))
    if (OURS.test(name) && name !== "run.lock")
      rmSync(join(path, name), { recursive: true, force: true });
}
