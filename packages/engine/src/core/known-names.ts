/** Refuses unknown names, so that a misspelt one is never ignored silently. */
import type { ErrorCode } from "./error-codes.ts";
import { WorkflowError } from "./errors.ts";
import { findUnknownName } from "./unknown-name.ts";

/** Checks the names of options. @param of the owner of the options. @throws {WorkflowError} UNKNOWN_OPTION */
export const assertKnownOptions = (of: string, given: object | undefined, known: object): void =>
  assertKnownNames(`option of ${of}`, given, known, "UNKNOWN_OPTION");

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
  given: object | undefined,
  known: object,
  code: ErrorCode,
): void {
  const name = findUnknownName(given, known);
  if (name !== null) throw unknownName({ what, given, name, known, code });
}

interface Unknown {
  readonly what: string;
  readonly given: object | undefined;
  /** See `findUnknownName`. */
  readonly name: string;
  readonly known: object;
  readonly code: ErrorCode;
}

/** Makes the error that `assertKnownNames` throws. */
export function unknownName({ what, given, name, known, code }: Unknown): WorkflowError {
  if (typeof given !== "object") {
    const message = `a ${typeof given} is no ${what}; give an object: ${listNames(known)}`;
    return new WorkflowError(code, message);
  }
  const [nearest = ""] = Object.keys(known).toSorted(
    (a, b) => likeness(b, name) - likeness(a, name),
  );
  const advice =
    nearest[0] === name[0] ? `did you mean "${nearest}"?` : `there is ${listNames(known)}`;
  return new WorkflowError(code, `"${name}" is no ${what}; ${advice}`, { name, nearest });
}

const listNames = (known: object): string => Object.keys(known).join(", ") || "none";

/** How many letters the names have in common; among equals, the name of the most similar length is nearer. */
const likeness = (known: string, name: string): number =>
  Array.from(name).filter((letter) => known.includes(letter)).length -
  Math.abs(known.length - name.length) / 4;
