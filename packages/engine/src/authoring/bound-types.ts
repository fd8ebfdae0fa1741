/** The type of `workflows.KEY`, from what is registered under the key. Types only. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Workflow } from "./bindings.ts";
import type { EventSchemas, NoEvents } from "./events.ts";

/** The types of a workflow, which its definition carries only for the compiler. */
export interface Typed<TParams, TOutput, TEvents extends EventSchemas> {
  /** Does not exist at run time. */
  readonly types?: { readonly params: TParams; readonly output: TOutput; readonly events: TEvents };
}

/** A registry without known types. */
export type AnyRegistry = Readonly<Record<string, Typed<unknown, unknown, NoEvents>>>;

/** `workflows.KEY` for each key of a registry. */
export type Bindings<TRegistry extends object> = {
  readonly [TKey in keyof TRegistry]: Workflow<
    RegisteredParams<TRegistry[TKey]>,
    RegisteredOutput<TRegistry[TKey]>,
    RegisteredEvents<TRegistry[TKey]>
  >;
};

/** Bindings without known types: any key, with any params. */
export type AnyBindings = Bindings<AnyRegistry>;

/** The params of `create` for a registry entry. Those of a class without a schema are not validated, and are optional. */
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

/** What `result` returns for a registry entry. */
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
