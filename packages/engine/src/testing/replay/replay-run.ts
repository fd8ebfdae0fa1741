/** One stored run, replayed against the code of this process. No body is started, and nothing leaves the process. */
import type { WorkflowsRegistry } from "../../authoring/registry.ts";
import type { InstanceRecord } from "../../core/model/records.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Budget } from "../../run/budget.ts";
import type { Session } from "../../run/session-interface.ts";
import { startSession } from "../../run/run-workflow.ts";
import { loadWhole } from "../../process/whole-run.ts";
import { openMemoryStore } from "../../stores/memory/open.ts";
import { emptyState } from "../../stores/memory/state.ts";
import { hostEngine } from "../../verbs/engine.ts";
import type { EngineOptions } from "../../verbs/engine-options.ts";
import { claimStored } from "./paused-history.ts";
import type { StoredRun } from "./stored-run.ts";
import { hasLoops, loopCode } from "../../run/known-run.ts";

/** The options of replays, besides the store. */
export type ReplayedCode = Pick<
  EngineOptions<WorkflowsRegistry>,
  "workflows" | "topics" | "env" | "limits"
>;

/** The result of a replay. */
export interface Replayed {
  /** The instance after the replay. */
  readonly instance: InstanceRecord;
  /** The differences between code and history, by step. */
  readonly diverged: ReadonlyMap<string, StepDivergence>;
}

/** The difference at one step. */
export interface StepDivergence {
  readonly kind: "notCalled" | "typeChanged" | "eventTypeChanged";
  /** The type in the history; null: a step that is not called. */
  readonly recorded: string | null;
  readonly called: string | null;
}

/** Replays one run. Call it again only after it has ended. */
export type ReplayRun = (stored: StoredRun) => Promise<Replayed>;

const LEASE_MS = 60_000;
/** Callbacks exist already in the history, and the replay does not need their URLs. */
const toCallbacks = () => ({
  url: "https://replay.invalid",
  signingKeys: [`${crypto.randomUUID()}${crypto.randomUUID()}`],
});
/** How long code may await something that is not a step. */
const PATIENCE_MS = 1000;

/** No body may start, and there is no deadline. */
const NO_BODIES: Budget = {
  stepsStarted: 0,
  hasTime: () => true,
  runsToClaim: () => 0,
  toLeaseMs: (leaseMs) => leaseMs,
  tryStartStep: () => false,
  noteBody: () => {},
  remainingMs: () => Infinity,
  onExpiry: () => () => {},
};

/** Replays runs. */
export interface Replayer {
  readonly replay: ReplayRun;
  /** @throws {WorkflowError} WORKFLOW_NOT_FOUND — the code has no workflow with the name */
  readonly find: (workflowName: string) => unknown;
}

/** Creates a replayer. It replays one run after another, on a memory store that holds one at a time. */
export function createReplay(code: ReplayedCode): Replayer {
  const state = emptyState(() => Date.now());
  const store = openMemoryStore(state);
  const diverged = new Map<string, StepDivergence>();
  const limits = { ...code.limits, maxAwaitOutsideStepMs: PATIENCE_MS };
  const logger = collectDivergences(diverged);
  const { context, find } = hostEngine({
    ...code,
    limits,
    store,
    logger,
    callbacks: toCallbacks(),
  }).parts;
  const replay: ReplayRun = async (stored) => {
    diverged.clear();
    const claimed = claimStored(state, stored, LEASE_MS);
    const { run, now } = claimed.isWhole
      ? { run: claimed, now: state.now() }
      : await loadWhole(store, claimed);
    if (hasLoops(run)) await loopCode();
    const observedAtMs = context.host.elapsedMs();
    const time = { now, observedAtMs, leaseEndsAtMs: observedAtMs + LEASE_MS };
    const session = startSession(context, run, { ...time, budget: NO_BODIES });
    const end = await session.milestones.ended;
    if (end.kind === "released" || end.kind === "errored")
      for (const stepKey of uncalledOf(session)) diverged.set(stepKey, NOT_CALLED);
    const { workflowName, instanceId } = run.run;
    const instance = (await store.loadInstance(workflowName, instanceId)) ?? stored.instance;
    noteFailure(diverged, instance);
    return { instance, diverged: new Map(diverged) };
  };
  return { replay, find };
}

const NOT_CALLED: StepDivergence = { kind: "notCalled", recorded: null, called: null };

/** The engine reports each step of the history that was passed over; if the run is released or fails, not the later ones. */
function uncalledOf({ order, known, calls, scopes }: Session): readonly string[] {
  const isCalled = (stepKey: string): boolean => calls.has(stepKey) || scopes.open.has(stepKey);
  const settled = order.uncalled.filter(
    ({ settledOrder, stepKey }) => !order.isWaiting(settledOrder) && !isCalled(stepKey),
  );
  const open = known.openRecords.filter(({ stepKey }) => !isCalled(stepKey));
  return [...settled, ...open].map(({ stepKey }) => stepKey);
}

const collectDivergences = (diverged: Map<string, StepDivergence>): Logger => ({
  log: (_level, event, { stepKeys, stepKey, recorded, called }) => {
    if (event !== "history.diverged") return;
    if (Array.isArray(stepKeys)) for (const key of stepKeys) diverged.set(String(key), NOT_CALLED);
    else diverged.set(String(stepKey), toChange("eventTypeChanged", { recorded, called }));
  },
});

/** A step that has another type now has failed the run. */
function noteFailure(diverged: Map<string, StepDivergence>, { error }: InstanceRecord): void {
  if (error?.code !== "HISTORY_DIVERGED" || error.details === null) return;
  const { stepKey, ...types } = error.details;
  diverged.set(String(stepKey), toChange("typeChanged", types));
}

const toChange = (
  kind: StepDivergence["kind"],
  { recorded, called }: Readonly<Record<string, unknown>>,
): StepDivergence => ({ kind, recorded: toText(recorded), called: toText(called) });

const toText = (value: unknown): string | null => (typeof value === "string" ? value : null);
