/** Refuses unknown names among options that have `params`. */
import { WorkflowError } from "./errors.ts";
import { assertKnownOptions, likeness, listNames } from "./known-names.ts";

/**
 * Like `assertKnownOptions`. A name that is no near miss of an option is most likely one of the params, which were given beside
 * the options.
 *
 * @throws {WorkflowError} UNKNOWN_OPTION
 */
export function assertKnownInput(of: string, given: object | undefined, known: object): void {
  const names = typeof given === "object" && !Array.isArray(given) ? Object.keys(given) : [];
  const isNear = (name: string): boolean =>
    Object.keys(known).some((option) => likeness(option, name) >= name.length - 1);
  const name = names.find((one) => !Object.hasOwn(known, one));
  if (name === undefined || isNear(name)) return assertKnownOptions(of, given, known);
  const message =
    `"${name}" is not an option of ${of}; params go under "params": { params: { ${name}: … } }; ` +
    `the options are ${listNames(known)}`;
  throw new WorkflowError("UNKNOWN_OPTION", message, { name, nearest: "params" });
}
