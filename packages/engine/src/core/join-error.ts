/** The error for branches that failed together. */
import { attempt } from "./attempt.ts";
import { readField } from "./read-field.ts";
import { WorkflowError } from "./errors.ts";

/** How many branches the message and the details name. */
const MAX_NAMED = 20;

/**
 * One or more branches of `step.join` or `step.map` failed, or all branches of a `step.race`: JOIN_FAILED. `cause` is the first of
 * their errors, in the order of the branches.
 */
export class JoinError extends WorkflowError {
  override name = "JoinError";
  /** The errors by branch; for a `map`, by index or key. */
  readonly errors: Readonly<Record<string, unknown>>;

  /** @param errors by branch, at least one @param count the number of all branches */
  constructor(scopeName: string, errors: ReadonlyMap<string, unknown>, count: number) {
    const named = [...errors].slice(0, MAX_NAMED);
    const texts = named.map(([branch, error]) => `${branch}: ${messageOf(error)}`);
    const more = errors.size > named.length ? ["…"] : [];
    super(
      "JOIN_FAILED",
      `${errors.size} of ${count} branches of "${scopeName}" failed: ${[...texts, ...more].join("; ")}`,
      { scope: scopeName, failed: errors.size, count, branches: named.map(([branch]) => branch) },
      named[0]?.[1],
    );
    // Not by assignment, because a branch may be called "__proto__".
    this.errors = Object.fromEntries(errors);
  }
}

/** Never throws, although the thrown value may be anything. */
function messageOf(error: unknown): string {
  const message = typeof error === "object" && error !== null ? readField(error, "message") : error;
  const text = attempt(() => String(message), "an error that cannot be shown");
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
