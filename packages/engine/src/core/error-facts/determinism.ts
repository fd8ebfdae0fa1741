/** Codes that fail a run whose code does not follow its history, or the rules of steps. Part of `core/error-facts.ts`. */

export const DETERMINISM_FACTS = {
  HISTORY_DIVERGED: {
    when: "A step has another type now than in the instance's history; or an open wait asks for another type of event, which only warns.",
    fix: "Rename the step, or publish the change under a new workflow name.",
  },
  STEP_KEY_DUPLICATE: {
    when: "Two calls with the same step name are in flight at once.",
    fix: "Give each its own name, for instance with the loop's index.",
  },
  SCOPE_CLOSED: {
    when: "A branch's step was called after the branch had ended; in history, what a branch left open when it ended or lost.",
    fix: "Await each step of a branch before its function returns, and use a branch's steps nowhere else.",
  },
  RUN_STEP_LIMIT: {
    when: "The run has more steps than the limit: sleeps do not count, scopes do, and rows that a loop has removed do no more.",
    fix: "Split the workflow, or raise maxStepsPerRun.",
  },
  RUN_SPINNING: {
    when: "The workflow made thousands of calls of steps in a row that were refused or repeated a settled step.",
    fix: "Let each turn of a loop settle something new.",
  },
  STEP_NOT_AWAITED: {
    when: "The run ended while a step was still in flight or a wait was open.",
    fix: "Await every step; a race's loser is aborted.",
  },
  AWAIT_OUTSIDE_STEP: {
    when: "The workflow awaits something that is not a step between steps.",
    fix: "Move it into step.do.",
  },
} as const;
