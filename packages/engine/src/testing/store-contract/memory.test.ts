import { openMemoryStore } from "../../stores/memory/open.ts";
import { emptyState } from "../../stores/memory/state.ts";
import { VIRTUAL_START_AT } from "../virtual-clock.ts";
import { describeStoreContract } from "./contract.ts";

describeStoreContract({
  name: "memory",
  capabilities: {
    severalStores: "memory is one process's own",
    outsideWrites: "nothing else can write to it",
    commitsForeignWrites: "there are no other tables",
  },
  async setup() {
    let nowMs = VIRTUAL_START_AT;
    const state = emptyState(() => nowMs);
    return {
      store: openMemoryStore(state),
      countTasks: async (workflowName) =>
        [...state.tasks.values()].filter(({ run }) => run.workflowName === workflowName).length,
      clock: {
        now: async () => nowMs,
        advance: async (ms) => {
          nowMs += ms;
        },
        set: async (at) => {
          nowMs = at;
        },
      },
      async teardown() {},
    };
  },
});
