/** The HTTP API as an OpenAPI document, made of the route table and its reference. */
import { type ErrorCode, statusOf } from "../../packages/engine/src/core/error-codes.ts";
import type { HttpRoute } from "../../packages/engine/src/http/route.ts";
import { ROUTE_REFERENCE } from "../../packages/engine/src/http/route-reference.ts";
import {
  COMMON_ERRORS,
  type RouteReference,
} from "../../packages/engine/src/http/reference-entry.ts";
import { listRoutes } from "../../packages/engine/src/http/routes.ts";
import { type JsonSchema, toComponents, toSchema } from "./json-schema.ts";
import { toParameters } from "./parameters.ts";

/** @source https://spec.openapis.org/oas/v3.1.1.html, read 2026-11-27 */
export function toOpenApi(version: string): JsonSchema {
  return {
    openapi: "3.1.1",
    info: {
      title: "Escapement",
      version,
      description:
        "Durable workflows: start, follow and steer them. Who may call what is up to the application.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [
      { url: "/api/workflows", description: "Where the application mounts it: http.mountRoute" },
    ],
    security: [{ bearer: [] }, {}],
    paths: toPaths(),
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "What bearerAuth checks. An application may ask for something else, such as a session's cookie.",
        },
      },
      schemas: { ...toComponents(), Error: ERROR },
    },
  };
}

function toPaths(): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = { ...PROBES };
  for (const [name, route] of listRoutes()) {
    const path = route.path.replace(/:(\w+)/gu, "{$1}");
    const operation = { operationId: name, ...toOperation(route, ROUTE_REFERENCE[name]) };
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  return paths;
}

function toOperation(route: HttpRoute, reference: RouteReference): JsonSchema {
  const { policy, also } = route;
  const parameters = toParameters(route, reference);
  const body = toSchema(route.body);
  return {
    summary: reference.summary,
    "x-policies": also === undefined ? [policy] : [policy, also],
    // The token in the path is all that it asks for.
    ...(policy === "callback" ? { security: [{}] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.bodyLimit === "none" ? {} : { requestBody: toRequestBody(body) }),
    responses: { "200": toSuccess(route, reference), ...toErrors(reference.errors) },
  };
}

const toRequestBody = (schema: JsonSchema): JsonSchema => ({
  required: Array.isArray(schema["required"]) && schema["required"].length > 0,
  content: { "application/json": { schema } },
});

function toSuccess({ streams }: HttpRoute, { output }: RouteReference): JsonSchema {
  const text = { schema: { type: "string" } };
  const streamed =
    streams === true ? { "text/event-stream": text, "application/x-ndjson": text } : {};
  return {
    description: "Done.",
    content: { "application/json": { schema: toSchema(output) }, ...streamed },
  };
}

/** One answer for each status, with the codes that it may have. */
function toErrors(own: readonly ErrorCode[]): JsonSchema {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const code of [...own, ...COMMON_ERRORS]) {
    const status = statusOf(code);
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [String(status), toErrorAnswer([...codes])]),
  );
}

const toErrorAnswer = (codes: readonly ErrorCode[]): JsonSchema => ({
  description: codes.join(", "),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

/** Written by hand: the answer is made for all routes in one place, and no shape checks it. */
const ERROR: JsonSchema = {
  type: "object",
  required: ["error", "code", "message"],
  properties: {
    code: { type: "string" },
    message: { type: "string" },
    error: {
      type: "object",
      required: ["code", "message", "details", "docs"],
      properties: {
        code: { type: "string" },
        message: { type: "string" },
        details: { type: "object" },
        docs: { type: "string", format: "uri", description: "Page that explains the code." },
      },
    },
  },
};

const toProbe = (
  name: string,
  summary: string,
  statuses: Readonly<Record<string, string>>,
): JsonSchema => ({
  operationId: name,
  summary,
  "x-policies": [],
  security: [{}],
  responses: Object.fromEntries(
    Object.entries(statuses).map(([status, word]) => [
      status,
      {
        description: word,
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["status"],
              properties: { status: { const: word } },
            },
          },
        },
      },
    ]),
  ),
});

/** They are no routes of the table: nobody is asked about them. */
const PROBES: Record<string, Record<string, JsonSchema>> = {
  "/health": { get: toProbe("health", "Whether the process answers.", { "200": "ok" }) },
  "/ready": {
    get: toProbe("ready", "Whether its database does, with the schema that it needs.", {
      "200": "ready",
      "503": "unready",
    }),
  },
};
