/** Codes of platforms and their adapters. Part of `core/error-facts.ts`. */

export const PLATFORM_FACTS = {
  WAKE_FAILED: {
    when: "A wake could not be sent; the next tick finds the work.",
    fix: "Check the platform's wake path.",
  },
  DEPLOY_OPTIONS_INVALID: {
    when: "Deploy options contradict each other or the platform.",
    fix: "details says which.",
  },
  RUNNER_ID_INVALID: {
    when: "The engine's runnerId is empty, too long, or has a character that is not allowed.",
    fix: "Use 1 to 60 letters, digits, _ or -, and a different one for each process.",
  },
} as const;
