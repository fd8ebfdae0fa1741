/** How a hostile request is written down. */
import type { HostileRequest } from "./attacker.ts";

export const SECRET = "hostile-proof-Zq8Jb2Xw0Rk5Vt7Ym";
export const API = "/api/workflows";
export const LIST = `${API}/workflows/order/instances`;
export const TICK = `${API}/_runner/tick`;
export const MIB = 1024 * 1024;

export interface Parts {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: string;
  readonly host?: string;
  readonly body?: string | Uint8Array;
  /** Without: the length of the body. */
  readonly length?: string | null;
  readonly cut?: "silent" | "gone";
}

export function request(name: string, parts: Parts): HostileRequest {
  const { method = "GET", path = LIST, headers = "", host = "shop.test", cut } = parts;
  const body = typeof parts.body === "string" ? Buffer.from(parts.body, "utf8") : parts.body;
  const length = parts.length === undefined ? body?.byteLength : parts.length;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    ...(cut === undefined ? ["connection: close"] : []),
    ...(length === undefined || length === null ? [] : [`content-length: ${length}`]),
  ];
  return {
    name,
    head: `${lines.join("\r\n")}\r\n${headers}\r\n`,
    ...(body === undefined ? {} : { body }),
    ...(cut === undefined ? {} : { cut }),
  };
}

export const JSON_TYPE = "content-type: application/json\r\n";
export const post = (
  name: string,
  path: string,
  body: string | Uint8Array,
  headers = "",
): HostileRequest => request(name, { method: "POST", path, body, headers: JSON_TYPE + headers });
