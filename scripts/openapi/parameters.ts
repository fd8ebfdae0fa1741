/** What of a request is no body, as parameters of OpenAPI. */
import type { RouteReference } from "../../packages/engine/src/http/reference-entry.ts";
import type { HttpRoute } from "../../packages/engine/src/http/route.ts";
import type { Shape } from "../../packages/engine/src/http/value-shapes.ts";
import { type JsonSchema, toSchema } from "./json-schema.ts";

/** What of a query's shape is read here. */
interface Inspected {
  readonly type: string;
  readonly kind?: string;
  readonly entries?: Readonly<Record<string, Inspected>>;
  readonly wrapped?: Inspected;
  readonly pipe?: readonly Inspected[];
}

/** Those of the path, of the query, and the header `Idempotency-Key` where it is looked at. */
export function toParameters(
  { path, query }: HttpRoute,
  { idempotent }: RouteReference,
): readonly JsonSchema[] {
  const names = [...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
  return [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries((query as Inspected).entries ?? {}).map(([name, entry]) =>
      toQueryParameter(name, entry),
    ),
    ...(idempotent === undefined ? [] : [toKeyHeader(idempotent)]),
  ];
}

function toQueryParameter(name: string, entry: Inspected): JsonSchema {
  const shape = entry.wrapped ?? entry;
  const required = entry.type === "exact_optional" ? {} : { required: true };
  // Names between commas are text that is read as a list.
  const list = shape.pipe?.find(({ type }) => type === "array");
  const schema = toSchema((list ?? shape) as unknown as Shape<unknown>);
  const style = list === undefined ? {} : { style: "form", explode: false };
  return { name, in: "query", ...required, ...style, schema };
}

const toKeyHeader = (idempotent: string): JsonSchema => ({
  name: "Idempotency-Key",
  in: "header",
  description: `Names ${idempotent}.`,
  schema: { type: "string", minLength: 1, maxLength: 255 },
});
