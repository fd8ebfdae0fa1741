// The compiler says: 'deadlineMs' does not exist
import { engine } from "./shop.ts";

// @ts-expect-error
await engine.tick({ deadlineMs: 1000 });
