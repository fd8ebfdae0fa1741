/** What a loop goes on with: read when it is called again, by code that knows every value. */
import { decodeJson } from "../codec.ts";
import type { JsonText } from "../model/records.ts";

/** Reads the state of what `toLoopResult` wrote. */
export const parseLoopState = (result: JsonText): unknown =>
  (decodeJson(result) as { readonly state?: unknown }).state;
