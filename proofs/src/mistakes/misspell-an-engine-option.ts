// The compiler says: 'concurency' does not exist
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";

// @ts-expect-error
createEngine({ store: createMemoryStore(), workflows: {}, concurency: 3 });
