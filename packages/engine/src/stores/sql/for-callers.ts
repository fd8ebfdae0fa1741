/** The store's verbs for calls from outside. */
export { controlInstance, sendEvent } from "./control.ts";
export { createInstances } from "./create.ts";
