/** The state with which a loop continues. It is read when the loop is called again, by the codec for every value. */
import { decodeJson } from "../codec.ts";
import type { JsonText } from "../model/records.ts";

/** Reads the state from what `toLoopResult` wrote. */
export const parseLoopState = (result: JsonText): unknown =>
  (decodeJson(result) as { readonly state?: unknown }).state;
