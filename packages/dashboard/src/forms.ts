/** What workflows take, as JSON Schemas of which the page makes forms. */
import { toErrorResponse } from "@escapement/engine/http/internal";
import { WorkflowError } from "@escapement/engine";
import type { Settings } from "./options.ts";

/** Characters of a schema, at most: of a larger one no form is made. */
const MOST_CHARACTERS = 32_768;
/** Event types of a workflow, at most. */
const MOST_EVENTS = 100;

/** Answers with the forms of one workflow: `{ params, events: [{ type, payload }] }`, null where a schema does not tell its own. */
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

/** Null: it has none, its own cannot be told, or it is too large. */
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
