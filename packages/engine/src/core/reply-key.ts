/** Keys of the steps that answer events. */
import { toPath, toStepKey } from "./step-key.ts";

/**
 * The step that answers an event, at a place that has the key of the step that took it.
 *
 * @param index of the event among those that the step took, from 0
 */
export const toReplyKey = (stepKey: string, index: number): string =>
  toPath(stepKey, toStepKey(REPLY_NAME, index + 1));

export const REPLY_NAME = "reply";
