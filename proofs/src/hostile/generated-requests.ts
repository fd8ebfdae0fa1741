/** Requests from fixed seeds: the same ones each time. */
import fc from "fast-check";
import type { HostileRequest } from "./attacker.ts";
import { API, LIST, post, request, TICK } from "./request.ts";

const segment = fc.oneof(
  fc.constantFrom(
    "api",
    "workflows",
    "order",
    "instances",
    "here",
    "batch",
    "_runner",
    "tick",
    "history",
    "events",
    "..",
    ".",
    "",
  ),
  fc.string({ unit: "binary", maxLength: 12 }).map(encodeLoosely),
);
const path = fc.oneof(
  fc.array(segment, { maxLength: 8 }).map((segments) => `/${segments.join("/")}`),
  fc
    .array(segment, { maxLength: 3 })
    .map((segments) => [API, "workflows/order/instances", ...segments].join("/")),
);
const query = fc.dictionary(
  fc.constantFrom("pageSize", "cursor", "status", "runNumber", "maxSteps", "x"),
  fc.string({ unit: "binary", maxLength: 30 }),
);
const body = fc.oneof(
  fc.json({ maxDepth: 6 }),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc
    .record(
      {
        id: fc.jsonValue(),
        params: fc.jsonValue(),
        onExisting: fc.jsonValue(),
        extra: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .record(
      { type: fc.jsonValue(), payload: fc.jsonValue(), eventId: fc.jsonValue() },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .record({ instances: fc.array(fc.jsonValue(), { maxLength: 120 }) })
    .map((value) => JSON.stringify(value)),
);
const target = fc.constantFrom(
  LIST,
  `${LIST}/batch`,
  `${LIST}/here/events`,
  `${LIST}/here/pause`,
  TICK,
);
const header = fc.dictionary(
  fc.constantFrom(
    "authorization",
    "origin",
    "idempotency-key",
    "x-a",
    "accept",
    "prefer",
    "webhook-signature",
  ),
  fc.string({ minLength: 1, maxLength: 60 }).map((text) => text.replaceAll(/[^\x20-\x7e]/gu, "?")),
);

function encodeLoosely(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const character = text.charAt(index);
    const code = text.charCodeAt(index) % 256;
    return /[\w-]/u.test(character) ? character : `%${code.toString(16).padStart(2, "0")}`;
  }).join("");
}

const toLines = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");

const reading = fc
  .tuple(fc.constantFrom("GET", "HEAD", "POST", "DELETE"), path, query, header)
  .map(([method, pathname, fields, lines]) => {
    const search = new URLSearchParams(fields).toString();
    return request(`generated ${method} ${pathname}?${search}`, {
      method,
      path: `${pathname}?${search}`,
      headers: toLines(lines),
    });
  });
const writing = fc
  .tuple(target, body, header)
  .map(([pathname, text, lines]) =>
    post(`generated POST ${pathname} ${text.slice(0, 80)}`, pathname, text, toLines(lines)),
  );

/** The same ones each time. */
export const GENERATED: readonly HostileRequest[] = [
  ...fc.sample(reading, { seed: 9001, numRuns: 150 }),
  ...fc.sample(writing, { seed: 9002, numRuns: 200 }),
];
