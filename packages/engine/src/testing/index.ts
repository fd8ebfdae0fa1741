/** @module For tests: a harness for workflows, time that only tests move, stores that fail on purpose, crashes at every point, and replays of what is stored. It works in any test runner. */
export { crashEverywhere } from "./crashes/crash-everywhere.ts";
export { assertNoFindings, type CrashFinding, type CrashReport } from "./crashes/report.ts";
export type { CrashScenario, DrivenHarness, DrivenInstance } from "./crashes/scenario.ts";
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
export { replayExport, type ReplayExportOptions } from "./replay/replay-export.ts";
export { replayHistories, type ReplayOptions } from "./replay/replay-histories.ts";
export {
  assertNoDivergence,
  type ChangedEnd,
  type Divergence,
  type ReplayReport,
} from "./replay/report.ts";
export { type VirtualClock, withVirtualClock } from "./virtual-clock.ts";
