/** @module Only the replays of stored histories, for programs without a test runner. */
export { replayExport } from "./replay-export.ts";
export { replayHistories } from "./replay-histories.ts";
