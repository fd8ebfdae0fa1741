/** Names of workflows that are the engine's own. None of a user's has one of them. */

/** The workflow whose instances are bulk jobs. */
export const BULK_WORKFLOW = "escapement-bulk";

/** In the place of a workflow's name: tasks that hand messages on. */
export const TOPIC_TASKS = "";
