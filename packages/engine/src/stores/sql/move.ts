/** @module Moves instances to another store, or from one. Loaded with the first call. */
import type { MovingStore } from "../../ports/move.ts";
import type { SqlContext } from "./apply-batch.ts";
import { discardImport, finishImport, stage } from "./move-in.ts";
import { closeMoved, loadFamily } from "./move-out.ts";
import { loadMembers, loadTopicWaits, measure, readParts } from "./moved-members.ts";

export const openMoving = (context: SqlContext): MovingStore => ({
  loadFamily: (ref) => loadFamily(context, ref),
  measure: (members) => measure(context, members),
  loadTopicWaits: (members) => loadTopicWaits(context, members),
  loadMembers: (members, only) => loadMembers(context, members, only),
  readParts: (request) => readParts(context, request),
  stage: (request) => stage(context, request),
  finishImport: (request) => finishImport(context, request),
  discardImport: (request) => discardImport(context, request),
  closeMoved: (ref, mark) => closeMoved(context, ref, mark),
});
