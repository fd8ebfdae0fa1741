/** Replays the histories in a database against the code of this process, to find out before a deploy what it would break. */
import { isTerminal } from "../../core/model/status.ts";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { FindInstancesInput } from "../../ports/finding-service.ts";
import type { Store } from "../../ports/store.ts";
import { createEngine } from "../../verbs/engine.ts";
import { ReplayPool } from "./replay-pool.ts";
import { createReplay, type ReplayedCode, type ReplayRun } from "./replay-run.ts";
import { type Divergence, ReplayNotes, type ReplayReport } from "./report.ts";
import { readRuns, type StoredRun } from "./stored-run.ts";

/** The code to replay with, the store, and which of its instances. */
export interface ReplayOptions extends ReplayedCode {
  /** The store that has the histories. It is only read. */
  readonly store: Store;
  /** Which instances, newest first. @default all of the workflows */
  readonly instances?: Omit<FindInstancesInput, "pageSize" | "cursor" | "payloads">;
  /** The most instances to replay. @default 10000 @minimum 1 */
  readonly maxInstances?: number;
}

const PAGE_SIZE = 100;
/** How many histories are read and held together. */
const READ_TOGETHER = 8;
/** An instance that continues while it is read may look as if it had diverged, so it is read again. */
const MAX_READS = 3;

/**
 * Replays the current run of each instance: the code gets what its history holds, and stops where the history ends. No body
 * is started, nothing is written to the store, and other instances are not touched. What the code does outside of steps, it
 * does here too.
 *
 * @throws {WorkflowError} WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION, STORE_UNAVAILABLE
 */
export async function replayHistories(options: ReplayOptions): Promise<ReplayReport> {
  const { store, instances = {}, maxInstances = 10_000, ...code } = options;
  const notes = new ReplayNotes();
  const pool = new ReplayPool(() => createReplay(code).replay);
  for await (const page of listPages(options, { instances, maxInstances, notes }))
    for (let at = 0; at < page.length; at += READ_TOGETHER) {
      const together = page.slice(at, at + READ_TOGETHER);
      const runs = await readRuns(store, together);
      for (const [index, ref] of together.entries())
        await pool.run((replay) => replayOne({ store, replay, notes, ref }, runs[index] ?? null));
    }
  await pool.end();
  return notes.toReport();
}

interface Asked extends Required<Pick<ReplayOptions, "instances" | "maxInstances">> {
  readonly notes: ReplayNotes;
}

async function* listPages(
  { store, workflows }: Pick<ReplayOptions, "store" | "workflows">,
  { instances, maxInstances, notes }: Asked,
): AsyncGenerator<readonly InstanceRef[]> {
  const engine = createEngine({ workflows, store });
  let left = maxInstances;
  let cursor: string | undefined;
  do {
    const page = await engine.findInstances({
      ...instances,
      pageSize: Math.min(PAGE_SIZE, left),
      ...(cursor === undefined ? {} : { cursor }),
    });
    yield page.instances.map(({ workflowName, id: instanceId }) => ({ workflowName, instanceId }));
    left -= page.instances.length;
    cursor = page.hasNextPage ? page.cursor : undefined;
  } while (cursor !== undefined && left > 0);
  notes.mayHaveMore = cursor !== undefined;
}

interface Replaying {
  readonly store: Store;
  readonly replay: ReplayRun;
  readonly notes: ReplayNotes;
  readonly ref: InstanceRef;
}

async function replayOne(
  { store, replay, notes, ref }: Replaying,
  first: StoredRun | null,
): Promise<void> {
  let stored = first;
  let divergences: readonly Divergence[] = [];
  for (let reads = 1; stored !== null; reads += 1) {
    const replayed = await replay(stored);
    divergences = notes.compare(stored, replayed);
    const isFinal = isTerminal(stored.instance.status) || reads === MAX_READS;
    if (divergences.length === 0 || isFinal) return notes.add(stored, replayed, divergences);
    [stored = null] = await readRuns(store, [ref]);
  }
}
