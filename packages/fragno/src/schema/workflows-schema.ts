/**
 * The data model, declared once in Fragno's schema language. SQL for every database is generated from it (`npx tsx
 * scripts/generate-schema.ts`). At run time only the Fragno fragment imports this file.
 *
 * APPEND ONLY. Fragno's schema version is the number of builder calls, and databases remember it: a released call is never edited or
 * moved; a later change is a new `.alterTable(…)` at the end of `addLaterColumns`. The generator refuses anything else.
 *
 * Fragno adds two columns to every table. `_internalId` rises with each insert. It is the primary key except for the tables in
 * `KNOWN_BY_ID`; see also `withoutAutoincrement`. In `workflow_event` it is the event's sequence. `_version` (≥ 0, default 0) is
 * raised by every update, Fragno's and the SQL store's, so that each notices the other's.
 *
 * Rules for columns: instants are `timestamp` with UTC database time (integer milliseconds on SQLite) and never get a database
 * default, whose time zone and format differ between databases. JSON is `string` that the engine encodes itself, so that it is read
 * exactly as it was written. There is no `bigint`, which Fragno stores as a blob on SQLite: a value that may exceed 31 bits is
 * `decimal`, which all databases keep to at least 53 bits.
 *
 * @source founding spec 000 §8
 */
import { schema, type AnySchema } from "@fragno-dev/db/schema";
import { requireFragnoSchema } from "../adapter/library-version.ts";
import {
  declareMessage,
  declareProgress,
  declareTopic,
  declareTopicWait,
} from "./stream-tables.ts";
import { declareInstance, declareStep, declareEvent, declareTask } from "./base-tables.ts";
import {
  extendInstance,
  extendStep,
  extendEvent,
  indexTask,
  extendTask,
  numberClaims,
  askForEnds,
  nameParents,
  answerEvents,
  rewindAndFork,
  describeRuns,
  countRetries,
  addLaterColumns,
} from "./later-columns.ts";

// Before anything is declared, so that another version is reported as such instead of failing below.
requireFragnoSchema(schema);

/** Fragno namespace: physical tables are `<table>_workflows`, and the version is stored under it. */
export const NAMESPACE = "workflows";

/** The tables. Column order is the order in the database. */
export const workflowsSchema: AnySchema = schema((builder) =>
  addLaterColumns(
    builder
      .addTable("workflow_instance", declareInstance)
      .addTable("workflow_step", declareStep)
      .addTable("workflow_event", declareEvent)
      .addTable("workflow_task", declareTask)
      .alterTable("workflow_instance", extendInstance)
      .alterTable("workflow_step", extendStep)
      .alterTable("workflow_event", extendEvent)
      .alterTable("workflow_task", indexTask)
      .alterTable("workflow_task", extendTask)
      .alterTable("workflow_task", numberClaims)
      .alterTable("workflow_instance", askForEnds)
      .alterTable("workflow_instance", nameParents)
      .alterTable("workflow_event", answerEvents)
      .alterTable("workflow_instance", rewindAndFork)
      .alterTable("workflow_instance", describeRuns)
      .addTable("workflow_topic", declareTopic)
      .addTable("workflow_message", declareMessage)
      .addTable("workflow_topic_wait", declareTopicWait)
      .alterTable("workflow_instance", countRetries)
      .addTable("workflow_progress", declareProgress),
  ),
);
