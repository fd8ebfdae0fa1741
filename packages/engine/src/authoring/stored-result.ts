/** Refuses a function as the result of a step: it cannot be stored as JSON. Types only. */

type AnyFunction = (...given: never) => unknown;

/**
 * 1 for a function. `any` and `never` are taken for strings, which they fit as well. So does the compiler with the `T` of a generic
 * helper, which therefore compiles.
 */
type FunctionKind<T> = [T] extends [string] ? 2 : [T] extends [AnyFunction] ? 1 : 2;

/** No function has this type. Its name is what the compiler says of a body that returns a function. */
interface AFunctionCannotBeStored {
  readonly "a step stores its result as JSON": never;
}

/** What a body has to be beside a function that returns `T`: anything, unless `T` is a function. */
export type StoredResult<T> = FunctionKind<T> extends 1 ? AFunctionCannotBeStored : unknown;
