import { instanceKey } from "../../core/model/instance-key.ts";
import type { Store } from "../../ports/store.ts";
import { claimDue } from "./claim.ts";
import { applyCommit } from "./commit.ts";
import { acceptEvent, applyControl } from "./control.ts";
import { createInstances } from "./create.ts";
import { restartOrCreate } from "./restart-or-create.ts";
import { findLive, listChildren } from "./delete.ts";
import { loadFacts } from "./explain.ts";
import { countInstances, findInstances } from "./find-instances.ts";
import { loadEvents } from "./event-page.ts";
import { deleteExpired, emptyExpired, findExpired } from "./retain.ts";
import { loadReply } from "./reply.ts";
import { applyFork, applyRewind } from "./rewind.ts";
import { loadSteps } from "./step-page.ts";
import { openMoving } from "./move.ts";
import { listCallbacks, listLeases, measureActivity } from "./overview.ts";
import { listInstances, loadHistory } from "./pages.ts";
import { readProgress } from "./progress.ts";
import { deliver, emit, listWaiters } from "./topics.ts";
import { type MemoryState, toRecord } from "./state.ts";
import { applyUpdate } from "./update.ts";

/** The store over tables that the caller can read. */
export function openMemoryStore(state: MemoryState): Store {
  return {
    create: async (instances) => createInstances(state, instances),
    claim: async (request) => claimDue(state, request),
    commit: async (commits) => commits.map((commit) => applyCommit(state, commit)),
    control: async (request) => applyControl(state, request),
    restartOrCreate: async (request) => restartOrCreate(state, request),
    rewind: async (request) => applyRewind(state, request),
    fork: async (request) => applyFork(state, request),
    update: async (request) => applyUpdate(state, request),
    findLive: async (instances) => findLive(state, instances),
    listChildren: async (request) => listChildren(state, request),
    moving: async () => openMoving(state),
    findExpired: async (walks) => findExpired(state, walks),
    deleteExpired: async (request) => deleteExpired(state, request),
    emptyExpired: async (request) => emptyExpired(state, request),
    sendEvent: async (request) => acceptEvent(state, request),
    loadSteps: async (request) => loadSteps(state, request),
    loadEvents: async (request) => loadEvents(state, request),
    loadReply: async (request) => loadReply(state, request),
    emit: async (request) => emit(state, request),
    deliver: async (request) => deliver(state, request),
    listWaiters: async (request) => listWaiters(state, request),
    readProgress: async (request) => readProgress(state, request),
    loadInstance: async (workflowName, instanceId) => {
      const instance = state.instances.get(instanceKey({ workflowName, instanceId }));
      return instance === undefined ? null : toRecord(instance);
    },
    loadFacts: async (ref) => loadFacts(state, ref),
    findInstances: async (request) => findInstances(state, request),
    countInstances: async (request) => countInstances(state, request),
    measureActivity: async (request) => measureActivity(state, request),
    listLeases: async (request) => listLeases(state, request),
    listCallbacks: async (request) => listCallbacks(state, request),
    listInstances: async (request) => listInstances(state, request),
    loadHistory: async (request) => loadHistory(state, request),
    now: async () => state.now(),
    close: async () => {},
  };
}
