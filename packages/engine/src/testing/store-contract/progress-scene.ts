/** Parts for tests of progress. */
import type { ProgressMade } from "../../core/model/change.ts";
import type { ProgressRetention } from "../../core/progress.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import type { ProgressPage, ReadProgressRequest } from "../../ports/progress.ts";
import { newId } from "./builders.ts";
import type { Scene } from "./scene.ts";

export const ROOM: ProgressRetention = { maxEntries: 1000, maxBytes: 1_000_000 };

/** An entry whose value is a number. */
export const made = (value: number, overrides: Partial<ProgressMade> = {}): ProgressMade => ({
  kind: "progressMade",
  stepKey: "progress",
  attempt: null,
  rowId: newId(),
  value: JSON.stringify(value),
  retention: ROOM,
  ...overrides,
});

/** @param overrides @default the whole stream */
export async function readPage(
  { store }: Pick<Scene, "store">,
  { run: { workflowName, instanceId } }: Pick<ClaimedRun, "run">,
  overrides: Partial<ReadProgressRequest> = {},
): Promise<ProgressPage> {
  const range = { after: 0, limit: 1000, ...overrides };
  const page = await store.readProgress({ workflowName, instanceId, ...range });
  if (page === null) throw new TypeError("there is no such instance");
  return page;
}

/** The stream as pairs of sequence and value. */
export const pairs = ({ entries }: Pick<ProgressPage, "entries">): readonly string[] =>
  entries.map(({ sequence, value }) => `${sequence}:${value}`);
