/** Failed runs, and which of their steps a retry opens. */
import { createErrorRecord } from "../../core/stored-error.ts";
import type { StepWrite } from "../../core/model/change.ts";
import type { ErrorRecord } from "../../core/model/records.ts";
import type { Random } from "../random.ts";
import { errorOf, newId } from "./builders.ts";

export const NOT_AWAITED: ErrorRecord = createErrorRecord("STEP_NOT_AWAITED", {
  name: "StepNotAwaited",
  message: "m",
});

/** The error of a step, as author code throws it on. */
export const thrownBy = (stepKey: string, message: string): ErrorRecord => ({
  ...errorOf("Error", message),
  code: "STEP_FAILED",
  details: { stepKey, attempts: 1 },
});

const wrapped = (cause: ErrorRecord): ErrorRecord => ({ ...errorOf("Error", "gave up"), cause });

export type Ended = Partial<StepWrite> & { readonly stepKey: string };

export const completed = (stepKey: string, more: Partial<StepWrite> = {}): Ended => ({
  stepKey,
  ...more,
});
export const failed = (stepKey: string, more: Partial<StepWrite> = {}): Ended => ({
  stepKey,
  status: "errored",
  result: null,
  error: errorOf("Error", `${stepKey} failed`),
  ...more,
});
export const closed = (stepKey: string, more: Partial<StepWrite> = {}): Ended =>
  failed(stepKey, { error: NOT_AWAITED, ...more });
const cancelled = (stepKey: string, more: Partial<StepWrite> = {}): Ended =>
  failed(stepKey, { status: "cancelled", ...more });
const join = (stepKey: string): Partial<StepWrite> => ({
  type: "join",
  error: errorOf("JoinError", `${stepKey} failed`),
});

export interface FailedRun {
  readonly says: string;
  /** In the order in which they settled. */
  readonly steps: readonly Ended[];
  readonly error: ErrorRecord;
  readonly reopened: readonly string[];
}

export const ERROR_OF_A: ErrorRecord = thrownBy("a", "a failed");

export const CASES: readonly FailedRun[] = [
  {
    says: "the step that failed the run, and not what completed before",
    steps: [completed("first"), failed("a")],
    error: ERROR_OF_A,
    reopened: ["a"],
  },
  {
    says: "an undo that failed, though the scope around what it undoes has completed",
    steps: [
      failed("l/~0/undo"),
      completed("l/~1/b"),
      completed("l", { type: "loop" }),
      failed("l/~1/b/undo"),
    ],
    error: {
      ...createErrorRecord("ROLLBACK_FAILED", { name: "WorkflowError", message: "not undone" }),
      cause: thrownBy("l/~1/b/undo", "l/~1/b/undo failed"),
    },
    reopened: ["l/~1/b/undo"],
  },
  {
    says: "not what author code caught before and went on from",
    steps: [failed("caught"), completed("instead"), failed("a")],
    error: ERROR_OF_A,
    reopened: ["a"],
  },
  {
    says: "not a caught failure of the same words",
    steps: [failed("caught", { error: errorOf("Error", "a failed") }), failed("a")],
    error: ERROR_OF_A,
    reopened: ["a"],
  },
  {
    says: "the step that was written down, whatever the error's own text says",
    steps: [
      failed("caught"),
      failed("a", { error: errorOf("Error", "redacted") }),
      failed("late", { error: errorOf("Error", "redacted") }),
    ],
    error: { ...thrownBy("caught", "caught failed"), failedStep: "a" },
    reopened: ["a", "late"],
  },
  {
    says: "no step that an author's own text names as if it had been written down",
    steps: [failed("caught", { error: errorOf("Error", "odd") }), failed("a")],
    error: {
      ...ERROR_OF_A,
      details: { ...ERROR_OF_A.details, note: `"failedStep":"caught"}`, failedStep: "caught" },
    },
    reopened: ["a"],
  },
  {
    says: "a step whose key takes quotes and backslashes to write",
    steps: [failed("caught"), failed('say "a\\b"', { error: errorOf("Error", "x") })],
    error: { ...errorOf("Other", "y"), failedStep: 'say "a\\b"' },
    reopened: ['say "a\\b"'],
  },
  {
    says: "not what completed after the failure",
    steps: [failed("a"), completed("clean up")],
    error: ERROR_OF_A,
    reopened: ["a"],
  },
  {
    says: "the step whose error author code threw on as a cause",
    steps: [failed("caught"), failed("a"), completed("clean up")],
    error: wrapped(wrapped(ERROR_OF_A)),
    reopened: ["a"],
  },
  {
    says: "what the run's end closed, whatever failed it",
    steps: [failed("caught"), closed("body"), closed("wait", { type: "waitForEvent" })],
    error: errorOf("Error", "by author code"),
    reopened: ["body", "wait"],
  },
  {
    says: "nothing where author code threw",
    steps: [completed("first"), failed("caught")],
    error: errorOf("Error", "by author code"),
    reopened: [],
  },
  {
    says: "nothing where a step is named that failed otherwise",
    steps: [failed("a")],
    error: { ...ERROR_OF_A, code: "HISTORY_DIVERGED", message: "other type" },
    reopened: [],
  },
  {
    says: "the step although its details were redacted",
    steps: [failed("caught"), failed("a")],
    error: { ...ERROR_OF_A, details: null },
    reopened: ["a"],
  },
  {
    says: "a key and a message that JSON writes otherwise",
    steps: [failed(`say "a\\b"`, { error: errorOf("Error", 'two\nlines\tof "it"') })],
    error: wrapped(thrownBy(`say "a\\b"`, 'two\nlines\tof "it"')),
    reopened: [`say "a\\b"`],
  },
  {
    says: "the scopes around the step, and what was cancelled with it",
    steps: [
      completed("all/a/one"),
      failed("all/a/inner/x/two"),
      cancelled("all/a/inner/x/beside"),
      failed("all/a/inner", join("all/a/inner")),
      failed("all", join("all")),
    ],
    error: wrapped(thrownBy("all/a/inner/x/two", "all/a/inner/x/two failed")),
    reopened: ["all", "all/a/inner", "all/a/inner/x/beside", "all/a/inner/x/two"],
  },
  {
    says: "what other branches of the scope ended with, and not what they caught",
    steps: [
      failed("all/b/caught"),
      failed("all/b/two"),
      cancelled("all/b/beside"),
      completed("all/c/one"),
      failed("all/a/one"),
      failed("all", join("all")),
    ],
    error: wrapped(thrownBy("all/a/one", "all/a/one failed")),
    reopened: ["all", "all/a/one", "all/b/beside", "all/b/two"],
  },
  {
    says: "nothing inside a scope that completed",
    steps: [
      failed("all/a/one"),
      failed("all/b/race/x/lost"),
      cancelled("all/b/race/y/left"),
      completed("all/b/race", { type: "race" }),
      failed("all", join("all")),
    ],
    error: wrapped(thrownBy("all/a/one", "all/a/one failed")),
    reopened: ["all", "all/a/one"],
  },
  {
    says: "a scope in which author code threw",
    steps: [completed("all/a/one"), completed("all/b/one"), failed("all", join("all"))],
    error: { ...errorOf("JoinError", "all failed"), code: "JOIN_FAILED" },
    reopened: ["all"],
  },
  {
    says: "of a loop the iteration that failed, and not what earlier ones caught",
    steps: [
      failed("poll/~0/caught"),
      completed("poll/~0/ask"),
      failed("poll/~1/ask"),
      failed("poll", { type: "loop", result: `{"iteration":1}` }),
    ],
    error: thrownBy("poll/~1/ask", "poll/~1/ask failed"),
    reopened: ["poll", "poll/~1/ask"],
  },
  {
    says: "of another branch's loop the iteration that failed it",
    steps: [
      failed("all/b/poll/~0/caught"),
      failed("all/b/poll/~1/ask"),
      failed("all/b/poll", { type: "loop" }),
      failed("all/a/one"),
      failed("all", join("all")),
    ],
    error: wrapped(thrownBy("all/a/one", "all/a/one failed")),
    reopened: ["all", "all/a/one", "all/b/poll", "all/b/poll/~1/ask"],
  },
];

const failedAs = (stepKey: string, type: StepWrite["type"], error: ErrorRecord): Ended =>
  failed(stepKey, { type, error });

/** Scopes in scopes, each with failures, cancelled and closed steps in any order; the run's error is any of theirs, or none. */
export function randomFailure(random: Random): Pick<FailedRun, "steps" | "error"> {
  const keys: string[] = [];
  const types = new Map<string, StepWrite["type"]>();
  const add = (path: string, depth: number): void => {
    for (let left = random.integer(1, 3); left > 0; left -= 1) {
      const key = `${path}${random.pick(["x", "y", "z", "say%2F"])}${left}`;
      const type = random.pick(["do", "do", "do", "join", "race", "map", "loop"] as const);
      if (type !== "do" && depth < 3)
        for (const part of type === "loop" ? ["~0", "~1"] : ["p", "q"])
          add(`${key}/${part}/${random.pick(["", "", "try/"])}`, depth + 1);
      types.set(key, type !== "do" && depth < 3 ? type : "do");
      keys.push(key);
    }
  };
  add("", 0);
  const steps = keys.map((stepKey): Ended => {
    const more = { type: types.get(stepKey) ?? "do" } as const;
    const make = random.pick([completed, completed, failed, failed, failed, closed] as const);
    if (random.integer(0, 7) === 0) return cancelled(stepKey, more);
    const error = errorOf("Error", random.pick([`${stepKey} failed`, "the same"]));
    return make === failed ? failedAs(stepKey, more.type, error) : make(stepKey, more);
  });
  const failures = steps.filter(({ status }) => status === "errored");
  const { stepKey, error } = random.pick([...failures, completed(newId())]);
  const thrown = thrownBy(stepKey, error?.message ?? "nobody's");
  const redacted = { ...thrown, details: null };
  return { steps, error: random.pick([thrown, wrapped(thrown), redacted, wrapped(redacted)]) };
}
