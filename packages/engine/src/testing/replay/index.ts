/** @module Replays of what is stored, alone: for programs that have no test runner beside them. */
export { replayExport } from "./replay-export.ts";
export { replayHistories } from "./replay-histories.ts";
