/** Fields of a form, out of a JSON Schema, and the value that they are filled in with. */

/** One field: a member of an object. */
export interface Field {
  readonly name: string;
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "json";
  /** Of a choice. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly about: string;
}

/** What is filled in is no value of the field. */
export class FieldError extends Error {}

/** Members of which a form is made, at most. */
const MOST_FIELDS = 40;

/** Null: it is no object, or one with more members than a form is made of. */
export function toFields(schema: unknown): readonly Field[] | null {
  const { type, properties, required } = toRecord(schema);
  if (type !== "object") return null;
  const members = Object.entries(toRecord(properties));
  if (members.length === 0 || members.length > MOST_FIELDS) return null;
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  return members.map(([name, member]) => toField(name, member, needed.has(name)));
}

function toField(name: string, member: unknown, isRequired: boolean): Field {
  const { type, enum: choices, description } = toRecord(member);
  const about = typeof description === "string" ? description.slice(0, 300) : "";
  const field = { name, choices: [], isRequired, about };
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === "string"))
    return { ...field, kind: "choice", choices };
  if (type === "string") return { ...field, kind: "text" };
  if (type === "number" || type === "integer" || type === "boolean")
    return { ...field, kind: type };
  return { ...field, kind: "json" };
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/**
 * The value, with the members that are filled in. The server judges it by the schema itself.
 *
 * @param texts by field; a boolean is `true` or `false`
 * @throws {FieldError} a number that is none, JSON that is none, or nothing where something is needed
 */
export function toValue(
  fields: readonly Field[],
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const filled = fields.flatMap((field): [string, unknown][] => {
    const text = texts[field.name] ?? "";
    if (text !== "") return [[field.name, toMember(field, text)]];
    if (!field.isRequired) return [];
    if (field.kind === "text") return [[field.name, ""]];
    throw new FieldError(`${field.name} is needed.`);
  });
  return Object.fromEntries(filled);
}

function toMember({ name, kind }: Field, text: string): unknown {
  if (kind === "text" || kind === "choice") return text;
  if (kind === "boolean") return text === "true";
  if (kind === "json") return toJsonValue(name, text);
  const number = Number(text);
  const isRight = kind === "integer" ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (!isRight || text.trim() === "")
    throw new FieldError(
      `${name} has to be ${kind === "integer" ? "a whole number" : "a number"}.`,
    );
  return number;
}

/** @throws {FieldError} it is no JSON */
export function toJsonValue(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new FieldError(`${name} is no JSON: texts are in double quotes.`);
  }
}
