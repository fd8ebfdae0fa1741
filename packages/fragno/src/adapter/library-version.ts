/**
 * Checks whether a copy of Fragno is a version that this folder supports. It checks the exports and their behaviour, because a
 * bundle has no package.json.
 */
import type { AnySchema } from "@fragno-dev/db/schema";

/** The versions of the library that this folder was written against. */
export const KNOWN_VERSIONS = { "@fragno-dev/db": "0.2.2", "@fragno-dev/core": "0.1.11" } as const;

/** Thrown if the adapter meets an unknown copy of Fragno, or an object from one. No other part of that copy is used. */
export class FragnoVersionError extends Error {
  override readonly name: string = "FragnoVersionError";
  readonly code = "FRAGNO_VERSION_UNSUPPORTED";
  readonly details: { readonly differs: string } & Readonly<Record<string, string>>;

  /** @param differs what shows that it is another version */
  constructor(differs: string) {
    const wanted = Object.entries(KNOWN_VERSIONS)
      .map(([name, version]) => `${name} ${version}`)
      .join(" and ");
    super(
      `This version of Fragno is not supported: ${differs}. Install ${wanted}, exactly; nothing was written`,
    );
    this.details = { differs, ...KNOWN_VERSIONS };
  }
}

/** Methods of the library's request storage, which ours must have. */
const STORAGE_METHODS: ReadonlySet<string> = new Set([
  "constructor",
  "run",
  "getStore",
  "runWithInitializer",
]);

/**
 * Refuses another version by its exports.
 *
 * @throws {FragnoVersionError} FRAGNO_VERSION_UNSUPPORTED
 */
export function requireFragno(
  library: { readonly RequestContextStorage: { readonly prototype: object } },
  schema: unknown,
): void {
  for (const [name, value] of Object.entries<unknown>(library))
    if (typeof value !== "function") throw new FragnoVersionError(`it exports no ${name}`);
  requireFragnoSchema(schema);
  const methods = Object.getOwnPropertyNames(library.RequestContextStorage.prototype);
  const other = methods.find((name) => !STORAGE_METHODS.has(name));
  if (other !== undefined)
    throw new FragnoVersionError(`its storage of requests has the method ${other}`);
}

/**
 * Refuses another version by its function `schema`, for code that declares a schema while it is loaded.
 *
 * @throws {FragnoVersionError} FRAGNO_VERSION_UNSUPPORTED
 */
export function requireFragnoSchema(schema: unknown): void {
  // Minifiers change names and messages, but not the results of calls.
  const made = declareEmpty(schema);
  if (made === null) throw new FragnoVersionError("its schemas are declared in another way");
  requireKnownSchema(made);
}

/**
 * Refuses a schema from another version, whose tables would be read and written incorrectly.
 *
 * @throws {FragnoVersionError} FRAGNO_VERSION_UNSUPPORTED
 */
export function requireKnownSchema(schema: AnySchema): void {
  if ("name" in schema) throw new FragnoVersionError("its schemas have names of their own");
  for (const table of Object.values(schema.tables))
    for (const column of Object.values(table.columns))
      if (typeof column.ormName !== "string")
        throw new FragnoVersionError("the columns of its schemas have another shape");
}

function declareEmpty(schema: unknown): AnySchema | null {
  try {
    return (schema as (declare: (builder: unknown) => unknown) => AnySchema)((builder) => builder);
  } catch {
    return null;
  }
}
