/** How much a call may still read, over all of its runs. */
import { EVENT_PAGE, STEP_PAGE_BYTES } from "../../ports/run-pages.ts";

export interface CallBudget {
  eventBytes: number;
  stepBytes: number;
}

export const newCallBudget = (): CallBudget => ({
  eventBytes: EVENT_PAGE.bytesOfCall,
  stepBytes: STEP_PAGE_BYTES,
});
