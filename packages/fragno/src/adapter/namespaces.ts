/** The namespace of each schema, for all fragments on one database. */
import { FragnoAdapterError } from "./errors.ts";
import {
  type AnySchema,
  INTERNAL_SCHEMA_VERSION,
  isInternalSchema,
  SETTINGS_TABLE,
} from "./internals.ts";
import { FragnoVersionError, requireKnownSchema } from "./library-version.ts";

/** Schemas by object, as in the library. */
export class Namespaces {
  /** The map that units of work read. */
  readonly map: WeakMap<AnySchema, string> = new WeakMap<AnySchema, string>();
  /** Fragno's own schema, once a fragment has brought it. */
  #internal: AnySchema | null = null;

  /**
   * @throws {FragnoAdapterError} SCHEMA_IN_TWO_NAMESPACES — services could not tell whose rows are meant
   * @throws {FragnoVersionError} FRAGNO_VERSION_UNSUPPORTED — another copy of the library declared it
   */
  register(schema: AnySchema, namespace: string): void {
    requireKnownSchema(schema);
    const known = this.map.get(schema);
    if (known !== undefined && known !== namespace) {
      throw new FragnoAdapterError(
        "SCHEMA_IN_TWO_NAMESPACES",
        `One schema object cannot serve the namespaces "${known}" and "${namespace}": build the schema once for each`,
        { known, namespace },
      );
    }
    this.map.set(schema, namespace);
    if (SETTINGS_TABLE in schema.tables) this.#setInternal(schema);
  }

  #setInternal(schema: AnySchema): void {
    if (!isInternalSchema(schema) || schema.version !== INTERNAL_SCHEMA_VERSION)
      throw new FragnoVersionError("its own tables differ");
    this.#internal = schema;
  }

  /** @throws {FragnoAdapterError} UNKNOWN_SCHEMA */
  of(schema: AnySchema): string {
    const namespace = this.map.get(schema);
    if (namespace !== undefined) return namespace;
    const tables = Object.keys(schema.tables).join(", ");
    throw new FragnoAdapterError(
      "UNKNOWN_SCHEMA",
      `No fragment built on this adapter has the schema with the tables ${tables}`,
      { tables },
    );
  }

  /** Fragno's own schema. @throws {FragnoAdapterError} UNKNOWN_SCHEMA — no fragment was built yet */
  get internal(): AnySchema {
    if (this.#internal === null)
      throw new FragnoAdapterError("UNKNOWN_SCHEMA", "No fragment was built on this adapter");
    return this.#internal;
  }
}
