/** Shapes of the HTTP API as JSON Schema, in the form that OpenAPI 3.1 has it. */
import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import {
  divergedStep,
  errorRecord,
  eventView,
  instanceStatus,
  instanceView,
  stepView,
} from "../../packages/engine/src/http/answer-shapes.ts";
import type { Shape } from "../../packages/engine/src/http/value-shapes.ts";

/** A schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Shapes that are written once, and named elsewhere. */
const NAMED: Record<string, GenericSchema> = {
  ErrorRecord: errorRecord,
  DivergedStep: divergedStep,
  InstanceStatus: instanceStatus,
  InstanceView: instanceView,
  StepView: stepView,
  EventView: eventView,
};

const CONFIG: ConversionConfig = {
  target: "draft-2020-12",
  typeMode: "input",
  definitions: NAMED,
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideAction: ({ valibotAction, jsonSchema }) => {
    const { member: _member, ...schema } = { member: null, ...jsonSchema };
    return { ...schema, ...(toBounds(valibotAction) ?? toMembers(valibotAction)) };
  },
};

/** The named shapes, by name. */
export const toComponents = (): JsonSchema => toJsonSchemaDefs(NAMED, CONFIG);

/** What fits a shape. */
export function toSchema(shape: Shape<unknown>): JsonSchema {
  const { $schema: _$schema, $defs: _$defs, ...schema } = toJsonSchema(shape, CONFIG);
  return schema;
}

const BOUNDS = /^an integer (?:of at least|from) (\d+)(?: to (\d+))?$/u;

/** Numbers say in their check's message which ones they are; in a query string they are text that is read as one. */
function toBounds(action: object): JsonSchema | null {
  if (!("type" in action) || action.type !== "check" || !("message" in action)) return null;
  const [words, minimum, maximum] = BOUNDS.exec(String(action.message)) ?? [];
  if (words === undefined) return null;
  const upTo = maximum === undefined ? {} : { maximum: Number(maximum) };
  return { type: "integer", minimum: Number(minimum), ...upTo };
}

/** A list whose members are looked at one after another says what they are beside it. */
function toMembers(action: object): JsonSchema | null {
  if (!("metadata" in action)) return null;
  const { member } = action.metadata as { readonly member?: Shape<unknown> };
  return member === undefined ? null : { items: toSchema(member) };
}
