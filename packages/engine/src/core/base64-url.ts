/** Bytes as text for URLs, ids and file names. Separate from `base64.ts`, because ticks do not need it. */
import { toBase64 } from "./base64.ts";

/** Base64 with `-` and `_`, without padding. */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
