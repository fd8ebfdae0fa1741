/** Codes that workflow code meets, and may catch. Part of `core/error-facts.ts`. */

export const AUTHOR_FACTS = {
  INVALID_SCOPE: {
    when: "A step with branches was given something else than it takes: no function, no branch, two branches of one name.",
    fix: "Give it what the message asks for; details.stepKey says which one it is.",
  },
  INVALID_VERSION: {
    when: "step.version was given something else than an integer from 1 on.",
    fix: "Give it 2 for the first change of the code there, and one more for each later one.",
  },
  INVALID_UNDO: {
    when: "A step's undo is neither a function nor an object whose run is one, or has options that retries do not take.",
    fix: "Give it (result, context) => …, or { run, retries, timeout }.",
  },
  STEP_FAILED: {
    when: "A step's body threw and no attempt is left. The error's cause is what it threw.",
    fix: "Catch it in the workflow, or let the instance fail. The log has a line for each attempt.",
  },
  STEP_TIMEOUT: {
    when: "An attempt took longer than the step's timeout; it counts as failed.",
    fix: "Raise the timeout or make the step smaller; honour the AbortSignal.",
  },
  STEP_MAX_ATTEMPTS_EXCEEDED: {
    when: "Every attempt is used up, the last one lost with its runner.",
    fix: "Look for what kills the runner: memory, time limit, deploy.",
  },
  JOIN_FAILED: {
    when: "Branches of a join or a map have failed, or all branches of a race. A JoinError: `errors` has what each threw.",
    fix: "Catch it, wrap it in step.try, or tolerate failures of a map.",
  },
  CANCELLED: {
    when: "The instance was cancelled: a CancelledError, which each step throws that is open or is called from then on.",
    fix: "Let it pass. Clean up in `finally`, by steps of `step.shielded`.",
  },
  DEADLINE_EXCEEDED: {
    when: "The run's deadline has passed, and the run fails with it: each step that was open, or was called from then on, threw a CancelledError. Also thrown by update(), since a deadline that has passed is not moved.",
    fix: "Create with a later deadline, or retry the instance, which then has none. Clean up in `finally`, by steps of `step.shielded`.",
  },
  ROLLED_BACK: {
    when: "The workflow threw a RollbackError, or the instance was terminated with a rollback: what its steps had done is undone.",
    fix: "See its message and its cause; nothing is left to be done.",
  },
  ROLLBACK_FAILED: {
    when: "While a run was rolled back, the undo of a step failed for good. Steps that completed before that one are not undone.",
    fix: "details.stepKey names the step, cause is what its undo threw, details.left names what is not undone.",
  },
  UNDO_MISSING: {
    when: "A run is to be rolled back, and the code has no undo any more for steps that had one when they completed. Nothing was undone.",
    fix: "Deploy code that calls the steps in details.stepKeys with their undo.",
  },
  CHILD_FAILED: {
    when: "A child that step.invoke started has failed.",
    fix: "The child's own error is the cause; details.instanceId names it. Catch it, or retry this instance once the cause is gone: that starts a new child.",
  },
  CHILD_TERMINATED: {
    when: "A child that step.invoke started was terminated.",
    fix: "Look who terminated it: details.instanceId names it. Retrying this instance starts a new child.",
  },
  EVENT_ALREADY_ANSWERED: {
    when: "event.reply was called a second time for one event.",
    fix: "Answer an event once.",
  },
  INVALID_RECEIVE: {
    when: "step.receive was given types, a count or a min that it cannot have.",
    fix: "Give 1 to 16 event types, a count from 1 to 100, and a min from 1 to that count.",
  },
  EVENT_TIMEOUT: {
    when: "No event of the type arrived before the wait's deadline.",
    fix: "Catch it, or use tryWaitForEvent.",
  },
  INVALID_OUTPUT: {
    when: "The workflow's return value does not fit its output schema.",
    fix: "Return what the schema asks for.",
  },
  NON_RETRYABLE: {
    when: "A step's body threw NonRetryableError, so it is not tried again.",
    fix: "See its message.",
  },
  STEP_TRANSACTION_UNSUPPORTED: {
    when: "A step writes into other tables, but the engine's store cannot commit such writes with the step, or the engine was not given the option stepTransactions.",
    fix: "Use the SQL store on the database of those tables; for writeWithStep give createEngine stepTransactions: stepSql.",
  },
  STEP_TRANSACTION_CLOSED: {
    when: "tx.mutate, tx.serviceCalls or writeWithStep was called after the step's callback had returned.",
    fix: "Call them before the callback ends; await what comes before.",
  },
  WORKFLOW_INVALID: {
    when: "A workflow definition or registry is wrong, for instance a name twice.",
    fix: "details says which.",
  },
} as const;
