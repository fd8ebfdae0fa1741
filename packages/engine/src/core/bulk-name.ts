/** The workflow whose instances are bulk jobs. None of a user's has the name. */
export const BULK_WORKFLOW = "escapement-bulk";
