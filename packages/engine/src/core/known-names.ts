/** Refuses unknown names, so that a misspelt one is never ignored silently. */
import type { ErrorCode } from "./error-codes.ts";
import { WorkflowError } from "./errors.ts";

/** Checks the names of options. @param of the owner of the options. @throws {WorkflowError} UNKNOWN_OPTION */
export function assertKnownOptions(of: string, given: object | undefined, known: object): void {
  const isList = Array.isArray(given);
  if (isList || (given !== undefined && typeof given !== "object")) {
    const got = isList ? "an array" : `a ${typeof given}`;
    const message = `${of} takes an object with ${listNames(known)}; got ${got}`;
    throw new WorkflowError("UNKNOWN_OPTION", message);
  }
  assertKnownNames(`option of ${of}`, given, known, "UNKNOWN_OPTION");
}

/**
 * Checks the names of an object's fields.
 *
 * @param what  what each of them is, for the message: `option of retries`
 * @param known an object with every valid name
 * @throws {WorkflowError} the code given, with `details.name` and the most similar known name, `details.nearest`. The first letter
 *   is rarely mistyped, so if the two begin differently, the message lists all known names
 */
export function assertKnownNames(
  what: string,
  given: object = {},
  known: object,
  code: ErrorCode,
): void {
  for (const name in given)
    if (!Object.hasOwn(known, name))
      throw toRefusal(`"${name}" is not an ${what}`, name, known, code);
}

function toRefusal(says: string, name: string, known: object, code: ErrorCode): WorkflowError {
  const [nearest = ""] = Object.keys(known).toSorted(
    (a, b) => likeness(b, name) - likeness(a, name),
  );
  const advice =
    nearest[0] === name[0] ? `did you mean "${nearest}"?` : `expected ${listNames(known)}`;
  return new WorkflowError(code, `${says}; ${advice}`, { name, nearest });
}

export const listNames = (known: object): string => Object.keys(known).join(", ") || "none";

/** How many letters the names have in common; among equals, the name of the most similar length is nearer. */
export const likeness = (known: string, name: string): number =>
  Array.from(name).filter((letter) => known.includes(letter)).length -
  Math.abs(known.length - name.length) / 4;
