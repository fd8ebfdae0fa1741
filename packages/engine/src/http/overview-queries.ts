/** Shapes of the queries of the overview routes. */
import { exactOptional, object, string } from "valibot";
import type {
  ActivityInput,
  ListCallbacksInput,
  ListLeasesInput,
} from "../ports/overview-service.ts";
import { integerText, type Shape } from "./value-shapes.ts";
import { workflowNames } from "./schemas.ts";

export const activityQuery: Shape<ActivityInput> = object({
  workflows: exactOptional(workflowNames),
  bucketMs: exactOptional(integerText(1000, 86_400_000)),
  buckets: exactOptional(integerText(1, 120)),
});
export const leasesQuery: Shape<ListLeasesInput> = object({
  workflows: exactOptional(workflowNames),
  limit: exactOptional(integerText(1, 1000)),
});
export const callbacksQuery: Shape<ListCallbacksInput> = object({
  workflows: exactOptional(workflowNames),
  pageSize: exactOptional(integerText(1, 100)),
  cursor: exactOptional(string()),
});
