/** Names of the engine's own workflows. No user's workflow can have one of them. */

/** The workflow whose instances are bulk jobs. */
export const BULK_WORKFLOW = "escapement-bulk";

/** Stands in place of a workflow's name, for tasks that deliver messages. */
export const TOPIC_TASKS = "";
