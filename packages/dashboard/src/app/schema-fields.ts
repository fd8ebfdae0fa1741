/** The fields of a form, from a JSON Schema, and the value from the filled-in form. */

/** One field: a member of an object. */
export interface Field {
  readonly name: string;
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "json";
  /** The options of a choice. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly about: string;
}

/** An input that is not valid for its field. */
export class FieldError extends Error {}

/** The most members for which a form is shown. */
const MOST_FIELDS = 40;

/** null: it is not an object, or has too many members for a form. */
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
 * The value, with the members that are filled in. The server validates it with the schema itself.
 *
 * @param texts by field; a boolean is `true` or `false`
 * @throws {FieldError} an invalid number, invalid JSON, or an empty required field
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

/** @throws {FieldError} it is not JSON */
export function toJsonValue(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new FieldError(`${name} is not JSON: strings need double quotes.`);
  }
}
