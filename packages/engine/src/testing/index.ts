/** @module For tests: a harness for workflows, time that only tests move, stores that fail on purpose, and the store contract. */
export { createFakeTime, FAKE_START, type FakeTime } from "./fake-time.ts";
export {
  createFaultStore,
  type Fault,
  type FaultStore,
  type StoreCall,
  type StoreVerb,
} from "./fault-store.ts";
export {
  createHarness,
  failOnAwaitOutsideStep,
  type Harness,
  type HarnessOptions,
  type LogLine,
} from "./harness.ts";
export { describeStoreContract } from "./store-contract/contract.ts";
export { type VirtualClock, withVirtualClock } from "./virtual-clock.ts";
