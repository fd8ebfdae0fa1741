import { createMemoryStore } from "../../stores/memory/index.ts";
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
    return {
      store: createMemoryStore({ now: () => nowMs }),
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
