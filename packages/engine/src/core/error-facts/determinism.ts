/** Codes that fail a run whose code does not follow its history, or the rules of steps. Part of `core/error-facts.ts`. */

export const DETERMINISM_FACTS = {
  HISTORY_DIVERGED: {
    when: "A step has a different type in the code than in the instance's history. An open wait that asks for a different type of event only causes a warning.",
    fix: "If you changed the code, give the changed step another name, or use step.version. If you did not, a branch depends on chance or the time: use step.random and step.now, or read them in a step.",
  },
  STEP_KEY_DUPLICATE: {
    when: "Two calls with the same step name are in flight at once.",
    fix: "Give each its own name, for example with the loop's index in it.",
  },
  SCOPE_CLOSED: {
    when: "A step was called after its branch, or the function of its workflow, had ended. In a history, it marks steps that a branch left open when it ended or lost.",
    fix: "Await every step before the function that called it returns, and do not use the steps of a branch anywhere else.",
  },
  RUN_STEP_LIMIT: {
    when: "The run has more steps than the limit. Scopes count; sleeps do not, and neither do rows that a loop has removed.",
    fix: "Split the workflow, or raise maxStepsPerRun.",
  },
  RUN_SPINNING: {
    when: "The workflow called thousands of steps in a row that were refused or had settled already.",
    fix: "Make each iteration of a loop settle something new.",
  },
  STEP_NOT_AWAITED: {
    when: "The run ended while a step was still in flight or a wait was open.",
    fix: "Await every step; a race's loser is aborted.",
  },
  AWAIT_OUTSIDE_STEP: {
    when: "Between its steps, the workflow awaits something that is not a step: a request, a file, a timer.",
    fix: "Put it into step.do. For a pause, use step.sleep.",
  },
} as const;
