/** Keys of the steps that reply to events. */
import { toPath, toStepKey } from "./step-key.ts";

/**
 * The key of the step that replies to an event, below the key of the step that took the event.
 *
 * @param index of the event among those that the step took, from 0
 */
export const toReplyKey = (stepKey: string, index: number): string =>
  toPath(stepKey, toStepKey(REPLY_NAME, index + 1));

export const REPLY_NAME = "reply";
