/** Reads fields of what authors throw or return. */
import { attempt } from "./attempt.ts";

/** A property of any object; undefined when it cannot be read. */
export const readField = (source: object, key: string): unknown =>
  attempt(() => (source as Readonly<Record<string, unknown>>)[key], undefined);
