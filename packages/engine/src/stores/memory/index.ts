/** @module The reference store: everything in memory, nothing survives the process. For tests and as the model of the others. */
import { instanceKey } from "../../core/model/instance-key.ts";
import type { EpochMs } from "../../core/model/records.ts";
import type { Store } from "../../ports/store.ts";
import { claimDue } from "./claim.ts";
import { applyCommit } from "./commit.ts";
import { acceptEvent, applyControl } from "./control.ts";
import { createInstance } from "./create.ts";
import { listInstances, loadHistory } from "./pages.ts";
import { type MemoryState, toRecord } from "./state.ts";

export interface MemoryStoreOptions {
  /** The store's clock, in epoch milliseconds. @default the process clock */
  readonly now?: () => EpochMs;
}

/** Creates an empty store. It applies each call at once, as a database applies a transaction. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const state: MemoryState = {
    now: options.now ?? ((): EpochMs => Date.now()),
    instances: new Map(),
    tasks: new Map(),
    steps: new Map(),
    events: new Map(),
    sequence: 0,
  };
  return {
    create: async (instances) => instances.map((instance) => createInstance(state, instance)),
    claim: async (request) => claimDue(state, request),
    commit: async (commits) => commits.map((commit) => applyCommit(state, commit)),
    control: async (request) => applyControl(state, request),
    sendEvent: async (request) => acceptEvent(state, request),
    loadInstance: async (workflowName, instanceId) => {
      const instance = state.instances.get(instanceKey({ workflowName, instanceId }));
      return instance === undefined ? null : toRecord(instance);
    },
    listInstances: async (request) => listInstances(state, request),
    loadHistory: async (request) => loadHistory(state, request),
    now: async () => state.now(),
    close: async () => {},
  };
}
