/** @module The step that waits for one event of the run. Loaded when a run first calls it. */
export { createWaitKind } from "./event-wait.ts";
export { readEvents } from "./read-events.ts";
