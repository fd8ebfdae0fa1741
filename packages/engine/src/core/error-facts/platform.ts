/** Codes of platforms and their adapters. Part of `core/error-facts.ts`. */

export const PLATFORM_FACTS = {
  WAKE_FAILED: {
    when: "A wake could not be sent, so the next tick finds the work. Or a platform was started before it was given to createEngine.",
    fix: "The cause says what failed: check the queue, URL or schedule that the platform wakes with, and its permissions. Create the engine before you call platform.start.",
  },
  DEPLOY_OPTIONS_INVALID: {
    when: "An option for where the engine runs or who may use it is missing or cannot work: of an adapter, its `deploy`, a secret, the callbacks, the dashboard or the Fragno fragment. It is refused at the start.",
    fix: "The message says what the option must be; details.option or details.path names it. If it is read from an environment variable, check that the variable is set where the process runs. For a secret, use at least 24 random characters (`openssl rand -hex 32`).",
  },
  LISTEN_FAILED: {
    when: "A server cannot listen where it was told to: another program has the port, the port needs rights that the process lacks, or the machine has no such address. Or `platform.serve` was called while it serves.",
    fix: "Stop the other program (`lsof -i :3000` names it) or pass another port; 0 takes any that is free. For a second address of one process, use `serve({ engine, port })`. details.reason is the runtime's own code, for instance EADDRINUSE.",
  },
  RUNNER_ID_INVALID: {
    when: "The engine's runnerId is empty, too long, or has a character that is not allowed.",
    fix: "Use 1 to 60 letters, digits, _ or -, and a different one for each process.",
  },
} as const;
