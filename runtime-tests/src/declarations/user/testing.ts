/** What tests export to each other. */
import {
  createFakeTime,
  createFaultStore,
  createHarness,
  replayHistories,
  withVirtualClock,
} from "@escapement/engine/testing";
import { order, store } from "./workflow.ts";

export const time = createFakeTime();
export const faults = createFaultStore(store);
export const harness = () => createHarness({ workflows: { ORDER: order } });
export const replayed = () => replayHistories;
export const virtual = withVirtualClock;
