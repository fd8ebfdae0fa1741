/** The type of `workflows.KEY`, from what is registered under the key. Nothing is here at run time. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Workflow } from "./bindings.ts";
import type { EventSchemas, NoEvents } from "./events.ts";

/** A workflow's types, which a definition carries for the compiler alone. */
export interface Typed<TParams, TOutput, TEvents extends EventSchemas> {
  /** Never there. */
  readonly types?: { readonly params: TParams; readonly output: TOutput; readonly events: TEvents };
}

/** A registry of which nothing is known. */
export type AnyRegistry = Readonly<Record<string, Typed<unknown, unknown, NoEvents>>>;

/** `workflows.KEY` for each key of a registry. */
export type Bindings<TRegistry extends object> = {
  readonly [TKey in keyof TRegistry]: Workflow<
    RegisteredParams<TRegistry[TKey]>,
    RegisteredOutput<TRegistry[TKey]>,
    RegisteredEvents<TRegistry[TKey]>
  >;
};

/** Bindings of which nothing is known: any key may be there, and take anything. */
export type AnyBindings = Bindings<AnyRegistry>;

/** Params that `create` takes for a registry entry. Those of a class without a schema are checked by nothing, and may be left out. */
export type RegisteredParams<TEntry> = TEntry extends { readonly workflow: infer TClass }
  ? TEntry extends { readonly schema: infer TSchema extends StandardSchemaV1 }
    ? StandardSchemaV1.InferInput<TSchema>
    : TClass extends new (...options: never) => {
          run(event: { readonly payload: Readonly<infer TParams> }, step: never): unknown;
        }
      ? TParams | undefined
      : unknown
  : TEntry extends Typed<infer TParams, unknown, EventSchemas>
    ? TParams
    : unknown;

/** What `result` gives for a registry entry. */
export type RegisteredOutput<TEntry> = TEntry extends { readonly workflow: unknown }
  ? TEntry extends { readonly output: infer TSchema extends StandardSchemaV1 }
    ? StandardSchemaV1.InferOutput<TSchema>
    : unknown
  : TEntry extends Typed<unknown, infer TOutput, EventSchemas>
    ? TOutput
    : unknown;

/** The event types that a registry entry declares. */
export type RegisteredEvents<TEntry> = TEntry extends { readonly workflow: unknown }
  ? TEntry extends { readonly events: infer TEvents extends EventSchemas }
    ? TEvents
    : NoEvents
  : TEntry extends Typed<unknown, unknown, infer TEvents>
    ? TEvents
    : NoEvents;
