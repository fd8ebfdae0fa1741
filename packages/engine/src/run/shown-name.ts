/** Names as author code gave them, in messages and log lines. */
import { showValue } from "../core/show-value.ts";
import { escapeName } from "../core/step-key.ts";

/** The name, cut to a length for display. */
export const toShownName = (name: unknown): string =>
  escapeName(typeof name === "string" && name.length <= 256 ? name : showValue(name));
