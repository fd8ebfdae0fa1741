// The compiler says: is not assignable
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";

// @ts-expect-error
createEngine({ store: createMemoryStore(), workflows: { ORDER: async () => 1 } });
