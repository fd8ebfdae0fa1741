/** For the tests of the fragment: tokens of callbacks, by another hand than the engine's. */
import { createHmac } from "node:crypto";

/** The token of the callback `a` of the first run of an instance of `my order`. */
export function signToken(key: string, instanceId: string): string {
  const claim = Buffer.from(JSON.stringify(["my order", instanceId, 1, "a"])).toString("base64url");
  return `${claim}.${createHmac("sha256", key).update(`callback.v1..${claim}`).digest("base64url")}`;
}
