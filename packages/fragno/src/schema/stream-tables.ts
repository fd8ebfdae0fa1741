/** Tables of topics and of progress; the rules for columns are those of `workflows-schema.ts`. */
import {
  column,
  idColumn,
  type AnyColumn,
  type AnyRelation,
  type Index,
  type TableBuilder,
} from "@fragno-dev/db/schema";

/** A table whose columns are to be declared. */
export type EmptyTable = TableBuilder<
  Record<string, AnyColumn>,
  Record<string, AnyRelation>,
  Record<string, Index>
>;

/** One row per topic that has had a wait or a message: lock and counter in one. Kept for ever. */
export const declareTopic = (table: EmptyTable): EmptyTable =>
  table
    // Row id, 1–30 characters; also the id of the task that says that messages are to be delivered.
    .addColumn("id", idColumn())
    // Name of the topic, like an event's type. Written with the row.
    .addColumn("name", column("string"))
    // Sequence of the last message; 0: none yet. Raised by each message.
    .addColumn("sequence", column("integer"))
    // Instant at which the row was created.
    .addColumn("createdAt", column("timestamp"))
    .createIndex("unique_name", ["name"], { unique: true });

/** One row per message that a topic keeps. Removed by later ones, once no wait is to get it. */
export const declareMessage = (table: EmptyTable): EmptyTable =>
  table
    // Row id, 1–30 characters, chosen by the emitter.
    .addColumn("id", idColumn())
    // Name of the topic. All columns are written with the row.
    .addColumn("topic", column("string"))
    // Position among the topic's messages, from 1, in the order of their commits.
    .addColumn("sequence", column("integer"))
    // Id from the sender, unique within the topic; null: none.
    .addColumn("messageId", column("string").nullable())
    // UTF-8 bytes of `message`.
    .addColumn("sizeBytes", column("integer"))
    // Instant at which it was emitted.
    .addColumn("createdAt", column("timestamp"))
    // JSON text of an object with the payload and the sender's id.
    .addColumn("message", column("string"))
    .createIndex("unique_sequence", ["topic", "sequence"], { unique: true });

/** One row per open wait that has not received a message yet. Removed with the message, or when the wait ends without one. */
export const declareTopicWait = (table: EmptyTable): EmptyTable =>
  table
    // Row id of the step.
    .addColumn("id", idColumn())
    // Name of the topic. All columns are written by the commit that records the wait.
    .addColumn("topic", column("string"))
    // The wait gets the first message above this.
    .addColumn("sequence", column("integer"))
    // Workflow of the run that waits.
    .addColumn("workflowName", column("string"))
    // Public id of its instance.
    .addColumn("instanceId", column("string"))
    // Number of the run, from 1.
    .addColumn("runNumber", column("integer"))
    // Key of the step.
    .addColumn("stepKey", column("string"))
    .createIndex("idx_due", ["topic", "sequence", "id"]);

/** One row per entry of an instance's stream. Removed by later ones once the stream is too large; the newest one stays. */
export const declareProgress = (table: EmptyTable): EmptyTable =>
  table
    // Row id, 1–30 characters, chosen by the runner. All columns are written by the commit that adds the entry.
    .addColumn("id", idColumn())
    // Workflow of the instance.
    .addColumn("workflowName", column("string"))
    // Public id of the instance.
    .addColumn("instanceId", column("string"))
    // Position among all entries of the instance, from 1, without gaps, in the order of their commits.
    .addColumn("sequence", column("integer"))
    // Number of the run that made it, from 1.
    .addColumn("runNumber", column("integer"))
    // Key of the step that it belongs to.
    .addColumn("stepKey", column("string"))
    // Attempt of the body that made it, from 1; null: it was made between steps.
    .addColumn("attempt", column("integer").nullable())
    // UTF-8 bytes of `value`.
    .addColumn("sizeBytes", column("integer"))
    // The sum for all entries up to this one, including removed ones; it may be more than a Postgres integer holds.
    .addColumn("totalBytes", column("decimal"))
    // Token of the lease that it was added under.
    .addColumn("token", column("string"))
    // Number of the commit under that lease, from 1: a commit that arrives twice adds nothing.
    .addColumn("commitNumber", column("integer"))
    // Instant of the commit.
    .addColumn("createdAt", column("timestamp"))
    // JSON text of the value.
    .addColumn("value", column("string"))
    .createIndex("unique_sequence", ["workflowName", "instanceId", "sequence"], { unique: true });
