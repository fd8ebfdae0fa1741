/** Names that nothing reads are refused, so that a misspelt one is never ignored in silence. */
import type { ErrorCode } from "./error-codes.ts";
import { WorkflowError } from "./errors.ts";

/** Checks the names of options. @param of whose they are. @throws {WorkflowError} UNKNOWN_OPTION */
export const assertKnownOptions = (of: string, given: object | undefined, known: object): void =>
  assertKnownNames(`option of ${of}`, given, known, "UNKNOWN_OPTION");

/**
 * Checks the names of an object's fields.
 *
 * @param what  what each of them is, for the message: `option of retries`
 * @param known an object with every name that there is
 * @throws {WorkflowError} the code given, with `details.name` and the known name that is most like it, `details.nearest`
 */
export function assertKnownNames(
  what: string,
  given: object = {},
  known: object,
  code: ErrorCode,
): void {
  for (const name in given) {
    if (Object.hasOwn(known, name)) continue;
    const [nearest] = Object.keys(known).toSorted((a, b) => likeness(b, name) - likeness(a, name));
    throw new WorkflowError(code, `"${name}" is no ${what}; did you mean "${nearest}"?`, {
      name,
      nearest,
    });
  }
}

/** Letters of the one that the other has as well; of those with as many, the one of nearly the same length is more like it. */
const likeness = (known: string, name: string): number =>
  Array.from(name).filter((letter) => known.includes(letter)).length -
  Math.abs(known.length - name.length) / 4;
