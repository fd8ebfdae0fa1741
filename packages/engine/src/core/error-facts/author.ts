/** Codes that workflow code meets, and may catch. Part of `core/error-facts.ts`. */

export const AUTHOR_FACTS = {
  INVALID_SCOPE: {
    when: "A step with branches was called with something that it cannot take: not a function, no branch, or two branches of the same name. Or step.do was called without a body, or with its options behind the body.",
    fix: "Pass what the message asks for; details.stepKey names the step.",
  },
  STEP_IN_BODY: {
    when: "A step was called in the body of another step, where a retry would call it again and a replay would not.",
    fix: "Call it in the workflow, after that step or before it; step.join, step.map and step.try are steps that have steps of their own.",
  },
  INVALID_VERSION: {
    when: "step.version was called with something other than an integer of at least 1.",
    fix: "Use 2 for the first change at that place, and one more for each later change.",
  },
  INVALID_UNDO: {
    when: "A step's undo is neither a function nor an object with a function run, or it has an option that does not exist.",
    fix: "Use (result, context) => …, or { run, retries, timeout }.",
  },
  STEP_FAILED: {
    when: "A step's body threw, and no attempt is left. The error's cause is what it threw.",
    fix: "Catch it in the workflow, or let the instance fail. The log has a line for each attempt.",
  },
  STEP_TIMEOUT: {
    when: "An attempt took longer than the step's timeout; it counts as failed.",
    fix: "Raise the timeout or make the step smaller; honour the AbortSignal.",
  },
  STEP_MAX_ATTEMPTS_EXCEEDED: {
    when: "All attempts are used up, and the last one was lost with its process.",
    fix: "Find what kills the process: memory, a time limit, a deploy.",
  },
  JOIN_FAILED: {
    when: "Branches of a join or a map failed, or all branches of a race. It is a JoinError, and its `errors` has what each branch threw.",
    fix: "Catch it, wrap it in step.try, or let the map tolerate failures.",
  },
  CANCELLED: {
    when: "The instance was cancelled. Each step that is open, or that is called afterwards, throws this CancelledError.",
    fix: "Let it through. Clean up in `finally`, with steps of `step.shielded`.",
  },
  DEADLINE_EXCEEDED: {
    when: "The run's deadline has passed, and the run failed. Each step that was open, or was called afterwards, threw a CancelledError. update() throws it too, because a deadline that has passed cannot be moved.",
    fix: "Create the instance with a later deadline, or retry it: then it has none. Clean up in `finally`, with steps of `step.shielded`.",
  },
  ROLLED_BACK: {
    when: "The workflow threw a RollbackError, or the instance was terminated with a rollback. What its steps did has been undone.",
    fix: "Nothing; the message and the cause say why.",
  },
  ROLLBACK_FAILED: {
    when: "During a rollback, the undo of a step failed for good. Steps that completed before that step are not undone.",
    fix: "See why it failed: details.stepKey is the step, cause is what its undo threw, and details.left is what is not undone. Then retry the instance, which continues with that undo, or undo the rest by hand.",
  },
  UNDO_MISSING: {
    when: "A rollback was asked for, but the deployed code has no undo for steps that had one when they completed. Nothing was undone.",
    fix: "Deploy code that passes an undo to the steps in details.stepKeys.",
  },
  CHILD_FAILED: {
    when: "A child that step.invoke started failed.",
    fix: "The cause is the child's own error, and details.instanceId is the child. Catch the error, or fix what caused it and retry this instance, which starts a new child.",
  },
  CHILD_TERMINATED: {
    when: "A child that step.invoke started was terminated.",
    fix: "Find out who terminated it; details.instanceId is the child. Retrying this instance starts a new child.",
  },
  EVENT_ALREADY_ANSWERED: {
    when: "event.reply was called twice for the same event.",
    fix: "Reply to an event once.",
  },
  INVALID_RECEIVE: {
    when: "step.receive was called with types, a count or a min outside its limits.",
    fix: "Use 1 to 16 event types, a count from 1 to 100, and a min from 1 to that count.",
  },
  EVENT_TIMEOUT: {
    when: "No event of the type arrived before the wait's deadline, by default 24 hours.",
    fix: "Give the wait a longer timeout, catch the error, or use step.tryWaitForEvent, which returns null.",
  },
  INVALID_OUTPUT: {
    when: "The workflow's return value does not match its output schema.",
    fix: "Return what the schema asks for.",
  },
  NON_RETRYABLE: {
    when: "A step's body threw NonRetryableError, so it is not tried again.",
    fix: "Read its message.",
  },
  STEP_TRANSACTION_UNSUPPORTED: {
    when: "A step writes into other tables, but the engine's store cannot commit such writes with the step, or the engine was not given the option stepTransactions.",
    fix: "Use the SQL store on the database of those tables; for writeWithStep give createEngine stepTransactions: stepSql.",
  },
  STEP_TRANSACTION_CLOSED: {
    when: "tx.mutate, tx.serviceCalls or writeWithStep was called after the step's callback had returned.",
    fix: "Call them before the callback returns, and await everything in it.",
  },
  STEP_STATEMENT_INVALID: {
    when: "writeWithStep was given no text, a statement that begins or ends a transaction, or a value that is no string, number, boolean or null.",
    fix: "Give one statement a call, a point in time, JSON and a bigint as the text that the column takes, and null in place of undefined. The step's commit is its transaction.",
  },
  WORKFLOW_INVALID: {
    when: "A workflow definition or the registry is wrong; for instance, two workflows have the same name.",
    fix: "The details say what is wrong.",
  },
} as const;
