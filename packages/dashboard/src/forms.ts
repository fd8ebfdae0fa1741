/** The inputs of workflows as JSON Schemas, from which the page creates forms. */
import { toErrorResponse } from "@escapement/engine/http/internal";
import { WorkflowError } from "@escapement/engine";
import type { Settings } from "./options.ts";

/** The most characters of a schema; for a larger one, there is no form. */
const MOST_CHARACTERS = 32_768;
/** The most event types of a workflow. */
const MOST_EVENTS = 100;

/**
 * Answers with the schemas of one workflow: `{ params, events: [{ type, payload }] }`, null if a schema does not provide its JSON Schema.
 */
export function answerForms({ workflows, allow }: Settings, name: string): Response {
  if (!allow.has("start") && !allow.has("events"))
    return toErrorResponse(
      new WorkflowError(
        "FORBIDDEN",
        'The dashboard has forms where it may "start" or send "events".',
      ),
    );
  const workflow = workflows.find((candidate) => candidate.name === decode(name));
  const declared = Object.entries(workflow?.events ?? {}).slice(0, MOST_EVENTS);
  const forms = {
    params: toJsonSchema(workflow?.schema),
    events: declared.map(([type, schema]) => ({ type, payload: toJsonSchema(schema) })),
  };
  return Response.json(forms, {
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });
}

interface TellsJsonSchema {
  readonly "~standard": {
    readonly jsonSchema: { input(options: { readonly target: string }): unknown };
  };
}

/** null: there is no schema, it does not provide its JSON Schema, or that is too large. */
function toJsonSchema(schema: unknown): unknown {
  try {
    const told = (schema as TellsJsonSchema)["~standard"].jsonSchema.input({
      target: "draft-2020-12",
    });
    return JSON.stringify(told).length > MOST_CHARACTERS ? null : told;
  } catch {
    return null;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
