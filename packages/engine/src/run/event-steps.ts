/** @module Steps that wait for events of the run. Loaded when a run first calls one. */
export { prepareCallback } from "./callback-step.ts";
export { createWaitKind } from "./event-wait.ts";
export { readEvents } from "./read-events.ts";
export { prepareReceive } from "./receive-step.ts";
