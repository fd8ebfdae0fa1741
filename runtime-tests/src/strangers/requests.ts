/** Requests that mean no good, byte by byte, and what each runtime has to answer. */
import { gzipSync } from "node:zlib";

/** A request, and what comes of it. */
export interface StrangerRequest {
  readonly name: string;
  readonly head: string;
  readonly body: string | Uint8Array;
  /** The sender's end of the connection is closed after it. */
  readonly ends: boolean;
  readonly status: number;
  readonly code: string | null;
}

interface Parts {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: string;
  readonly body?: string | Uint8Array;
  /** What is said of the body's length; null: nothing. @default the truth */
  readonly length?: number | null;
  readonly ends?: true;
  readonly status?: number;
  readonly code?: string;
}

const MIB = 1024 * 1024;
const API = "/api/workflows";
/** Where instances of the workflow are. */
export const ORDERS: string = `${API}/workflows/order/instances`;
const CHUNKED = "transfer-encoding: chunked\r\n";
const GZIP = "content-encoding: gzip\r\n";
const STRANGER = "x-stranger: yes\r\n";

function request(name: string, parts: Parts): StrangerRequest {
  const { method = "POST", path = ORDERS, headers = "", body = "", ends = false } = parts;
  const { length = Buffer.byteLength(body), status = 400, code = "INVALID_REQUEST" } = parts;
  const said = length === null ? "" : `content-length: ${length}\r\n`;
  const type = "content-type: application/json\r\n";
  const head = `${method} ${path} HTTP/1.1\r\nhost: shop.test\r\n${type}${said}${headers}\r\n`;
  return { name, head, body, ends, status, code: status === 200 ? null : code };
}

const toChunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const bytes = (...parts: readonly (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const EVENTS = `${ORDERS}/here/events`;
const ok = { status: 200 } as const;

/** In order: the first creates what others send to. */
export const STRANGER_REQUESTS: readonly StrangerRequest[] = [
  request("an instance", { body: '{"id":"here"}', ...ok }),
  request("a body byte by byte, in chunks", {
    body: `${'{"id":"chunks"}'.split("").map(toChunk).join("")}0\r\n\r\n`,
    length: null,
    headers: CHUNKED,
    ...ok,
  }),
  request("a body above the limit", {
    body: "x".repeat(2 * MIB + 1),
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
  }),
  request("chunks above the limit, without end", {
    body: toChunk("x".repeat(65_536)).repeat(33),
    length: null,
    headers: CHUNKED,
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
  }),
  request("a body in gzip", { body: gzipSync('{"id":"gzip"}'), headers: GZIP }),
  request("a bomb in gzip", { body: gzipSync(`"${"x".repeat(50 * MIB)}"`), headers: GZIP }),
  request("JSON that is said to be in br", { body: "{}", headers: "content-encoding: br\r\n" }),
  request("JSON that is said to be as it is", {
    body: '{"id":"identity"}',
    headers: "content-encoding: identity\r\n",
    ...ok,
  }),
  request("no UTF-8", { body: bytes('{"id":"', [0xff, 0xfe], '"}') }),
  request("UTF-16", { body: Buffer.from('{"id":"wide"}', "utf16le") }),
  request("100 000 levels", { body: nested(100_000) }),
  request("990 levels of params", { body: `{"id":"deep","params":${nested(990)}}`, ...ok }),
  request("a name twice, of which the last counts", {
    body: '{"id":"../first","id":"second"}',
    ...ok,
  }),
  request("__proto__", { body: '{"__proto__":{"id":"x"}}' }),
  request("__proto__ in params", { body: '{"params":{"__proto__":{"a":1}}}', ...ok }),
  ...["\\ud800", "a\\u0000b"].flatMap((text) => [
    request(`${text} as an id`, { body: `{"id":"${text}"}`, code: "INVALID_INSTANCE_ID" }),
    request(`${text} as a tag`, { body: `{"tags":["${text}"]}` }),
    request(`${text} in params`, { body: `{"params":"${text}"}`, ...ok }),
    request(`${text} as a type`, {
      path: EVENTS,
      body: `{"type":"${text}"}`,
      code: "INVALID_EVENT_TYPE",
    }),
    request(`${text} as an event's id`, {
      path: EVENTS,
      body: `{"type":"approval","eventId":"${text}"}`,
      code: "INVALID_IDEMPOTENCY_KEY",
    }),
  ]),
  request("a body of GET", { method: "GET", body: "{}", ...ok }),
  request("a body of GET that does not come", { method: "GET", length: 1000, ...ok }),
  request("a stranger's body that does not come", {
    headers: STRANGER,
    length: 1000,
    status: 401,
    code: "UNAUTHORIZED",
  }),
  request("a stranger's body of 3 MiB", {
    headers: STRANGER,
    body: "x".repeat(3 * MIB),
    status: 401,
    code: "UNAUTHORIZED",
  }),
  request("a verb that says to be another", {
    method: "GET",
    path: `${ORDERS}/here/terminate`,
    headers: "x-http-method-override: POST\r\n",
    status: 405,
    code: "METHOD_NOT_ALLOWED",
  }),
  request("two slashes", {
    path: ORDERS.slice(0, 14) + ORDERS.slice(13),
    status: 404,
    code: "ROUTE_NOT_FOUND",
  }),
  request("an encoded slash", {
    path: ORDERS.replace("/instances", "%2finstances"),
    status: 404,
    code: "ROUTE_NOT_FOUND",
  }),
  request("a broken escape", { path: `${API}/workflows/%zz/instances` }),
];
