/** The application on AWS Lambda: one handler for requests and for wakes. */
import {
  createLambdaPlatform,
  handler as createHandler,
  oneTimeSchedules,
  sqsQueue,
} from "@escapement/aws-lambda";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createEngine } from "@escapement/engine";
import { bearerAuth } from "@escapement/engine/http";
import { createSqlStore } from "@escapement/engine/store/sql";
import { createClient } from "@libsql/client/web";
import { defineRefund } from "./workflow.ts";

const demand = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set`);
  return value;
};
// The stack sets these.
const platform = createLambdaPlatform({
  queue: sqsQueue(demand("ESCAPEMENT_QUEUE_URL")),
  schedules: oneTimeSchedules({
    groupName: demand("ESCAPEMENT_SCHEDULE_GROUP"),
    queueArn: demand("ESCAPEMENT_QUEUE_ARN"),
    roleArn: demand("ESCAPEMENT_SCHEDULE_ROLE_ARN"),
  }),
  namespace: demand("ESCAPEMENT_NAMESPACE"),
});

// And these are the application's own.
const client = createClient({ url: demand("DATABASE_URL"), authToken: demand("DATABASE_TOKEN") });
const engine = createEngine({
  workflows: { REFUND: defineRefund(process.env["PAYOUT_URL"]) },
  store: createSqlStore({ database: createLibsqlDatabase(client) }),
  platform,
  http: { authorizeRequest: bearerAuth(process.env["API_TOKEN"]) },
});

export const handler = createHandler(engine, { platform });
