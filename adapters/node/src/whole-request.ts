/** Requests as their clients sent them, whatever a framework has done with them. */
import type { IncomingMessage } from "node:http";

/** The properties that frameworks add to a request or leave on it. */
interface Handled extends IncomingMessage {
  /** The whole path, if a router has cut off the prefix that it is mounted under. */
  readonly originalUrl?: unknown;
  /** The body after a parser. */
  readonly body?: unknown;
}

/** The same request with its whole path, and with the body that a parser has read. If nothing has kept the body, it counts as used. */
export async function toWholeRequest(request: Request, incoming: Handled): Promise<Request> {
  const path = originalPath(incoming);
  const isRead = incoming.readableDidRead && hasBody(incoming);
  if ((path === null && !isRead) || !URL.canParse(request.url)) return request;
  const { method, headers, signal } = request;
  const url = path === null ? request.url : withPath(request.url, path);
  if (!isRead) return new Request(url, { method, headers, signal, ...toStream(request.body) });
  const whole = new Request(url, { method, headers, signal, body: toBody(incoming.body) });
  // Whatever read it has also decompressed it.
  whole.headers.delete("content-encoding");
  if (incoming.body === undefined) await whole.text();
  return whole;
}

/** Path and query; null: nothing was cut off. */
function originalPath({ originalUrl, url }: Handled): string | null {
  const isCut = typeof originalUrl === "string" && originalUrl !== url;
  return isCut && originalUrl.startsWith("/") ? originalUrl : null;
}

/** Not resolved against the address, because two slashes at its beginning would name another host. */
function withPath(address: string, path: string): string {
  const url = new URL(address);
  const queryAt = path.indexOf("?");
  url.pathname = queryAt === -1 ? path : path.slice(0, queryAt);
  url.search = queryAt === -1 ? "" : path.slice(queryAt);
  return url.href;
}

const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== "GET" &&
  method !== "HEAD" &&
  ("transfer-encoding" in headers || Number(headers["content-length"] ?? 0) > 0);

/** A stream needs an option that the types of the web lack. @source https://fetch.spec.whatwg.org/#requestinit (read 2026-11) */
const toStream = (body: Request["body"]): RequestInit =>
  body === null ? {} : Object.assign<RequestInit, object>({ body }, { duplex: "half" });

const toBody = (parsed: unknown): string | Uint8Array<ArrayBuffer> => {
  if (parsed instanceof Uint8Array) return new Uint8Array(parsed);
  return typeof parsed === "string" ? parsed : (JSON.stringify(parsed) ?? "");
};
