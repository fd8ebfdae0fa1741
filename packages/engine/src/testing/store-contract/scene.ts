/** One test's own corner of a store: a workflow name nobody else uses, and short words for the verbs. */
import { expect } from "vitest";
import type { StoreCommand } from "../../core/decide/lifecycle.ts";
import type { Change, Commit, RunOutcome } from "../../core/model/change.ts";
import type { InstanceRecord, JsonText } from "../../core/model/records.ts";
import type { ClaimedRun, ClaimRequest, ClaimResult } from "../../ports/claim.ts";
import type { Store } from "../../ports/store.ts";
import type { EventCap, SendEventRequest, SendEventResult } from "../../ports/send-event.ts";
import type { ControlRequest, ControlResult } from "../../ports/control.ts";
import type { CommitResult } from "../../ports/commit.ts";
import type { NewInstance } from "../../ports/create.ts";
import type { HistoryPage } from "../../ports/pages.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { newId } from "./builders.ts";
import type { StoreFixture } from "./subject.ts";

export const LEASE_MS = 60_000;

/** Room for more events than any test sends. */
export const WIDE_CAP: EventCap = { maxCount: 1000, maxBytes: 64 * 1024 * 1024 };

export type Committed = Extract<CommitResult, { kind: "committed" }>;

export interface Scene {
  readonly fixture: StoreFixture;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly workflowName: string;
  newInstance(overrides?: Partial<NewInstance>): NewInstance;
  /** Creates one that must not exist yet. */
  create(overrides?: Partial<NewInstance>): Promise<InstanceRecord>;
  claim(overrides?: Partial<ClaimRequest>): Promise<ClaimResult>;
  /** The one run that is due; fails the test when there is none or more. */
  claimOne(overrides?: Partial<ClaimRequest>): Promise<ClaimedRun>;
  /** Creates and claims one. */
  start(overrides?: Partial<NewInstance>): Promise<ClaimedRun>;
  commit(run: ClaimedRun, overrides?: Partial<Commit>): Promise<CommitResult>;
  /** A commit whose lease must hold. */
  commitHeld(run: ClaimedRun, overrides?: Partial<Commit>): Promise<Committed>;
  end(run: ClaimedRun, outcome: RunOutcome, changes?: readonly Change[]): Promise<Committed>;
  control(
    instanceId: string,
    command: StoreCommand,
    overrides?: Partial<ControlRequest>,
  ): Promise<ControlResult>;
  send(
    instanceId: string,
    type: string,
    payload?: JsonText | null,
    overrides?: Partial<SendEventRequest>,
  ): Promise<SendEventResult>;
  load(instanceId: string): Promise<InstanceRecord>;
  /** First 100 steps and events of the run. */
  history(run: ClaimedRun["run"]): Promise<HistoryPage>;
}

/** Gives each test its scene. */
export type SceneSource = () => Scene;

let commitCount = 0;

/** A continuing boundary of a claimed run. */
export const commitOf = (run: ClaimedRun, overrides: Partial<Commit> = {}): Commit => ({
  lease: run.lease,
  number: (commitCount += 1),
  run: run.run,
  changes: [],
  outcome: { kind: "continue" },
  diverged: [],
  clearsLostLeases: false,
  renewLeaseMs: null,
  readsEvents: true,
  knownEventSequence: 0,
  knownEndRequest: null,
  ...overrides,
});

/** Parks until so long after the commit. */
export const parkIn = (inMs: number): RunOutcome => ({
  kind: "park",
  taskKind: "wake",
  at: null,
  inMs,
});

export const COMPLETE: RunOutcome = { kind: "complete", output: `"done"` };

export function createScene(fixture: StoreFixture): Scene {
  const { store, clock } = fixture;
  const workflowName = `W${newId()}`;
  const newInstance: Scene["newInstance"] = (overrides = {}) => ({
    workflowName,
    instanceId: `i-${newId()}`,
    params: null,
    instanceRowId: newId(),
    taskRowId: newId(),
    start: null,
    claim: null,
    ...overrides,
  });
  const scene: Scene = {
    fixture,
    store,
    clock,
    workflowName,
    newInstance,
    ...createVerbs(store, workflowName),
    async create(overrides) {
      const [result] = await store.create([newInstance(overrides)]);
      expect(result?.kind).toBe("created");
      if (result?.kind !== "created") throw new TypeError("not created");
      return result.instance;
    },
    async start(overrides) {
      const instance = await scene.create(overrides);
      const { runs } = await scene.claim();
      const run = runs.find((claimed) => claimed.run.instanceId === instance.instanceId);
      if (run === undefined) throw new TypeError("the new instance was not claimed");
      return run;
    },
  };
  return scene;
}

type Verbs = Omit<
  Scene,
  "fixture" | "store" | "clock" | "workflowName" | "newInstance" | "create" | "start"
>;

/** The verbs that need nothing but the store and the workflow's name; races use them with other stores. */
export function createVerbs(store: Store, workflowName: string): Verbs {
  const verbs: Verbs = {
    claim: (overrides) =>
      store.claim({
        token: newId(),
        limit: 100,
        leaseMs: LEASE_MS,
        workflowNames: [workflowName],
        ...overrides,
      }),
    async claimOne(overrides) {
      const { runs } = await verbs.claim(overrides);
      expect(runs).toHaveLength(1);
      return runs[0] as ClaimedRun;
    },
    async commit(run, overrides) {
      const [result] = await store.commit([commitOf(run, overrides)]);
      return result as CommitResult;
    },
    async commitHeld(run, overrides) {
      const result = await verbs.commit(run, overrides);
      expect(result.kind).toBe("committed");
      return result as Committed;
    },
    end: (run, outcome, changes = []) => verbs.commitHeld(run, { outcome, changes }),
    control: (instanceId, command, overrides) =>
      store.control({
        workflowName,
        instanceId,
        command,
        taskRowId: newId(),
        ifRunNumber: null,
        ifStatus: null,
        controlKey: null,
        ...overrides,
      }),
    send: (instanceId, type, payload = null, overrides = {}) =>
      store.sendEvent({
        workflowName,
        instanceId,
        eventRowId: newId(),
        type,
        payload,
        eventId: null,
        cap: WIDE_CAP,
        claim: null,
        ...overrides,
      }),
    async load(instanceId) {
      const instance = await store.loadInstance(workflowName, instanceId);
      expect(instance).not.toBeNull();
      return instance as InstanceRecord;
    },
    history: (run) =>
      store.loadHistory({ ...run, pageSize: 100, stepsAfter: null, eventsAfter: null }),
  };
  return verbs;
}
