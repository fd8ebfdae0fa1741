/** The application on AWS Lambda: one handler for requests and for wakes. */
import {
  handler as createHandler,
  oneTimeSchedules,
  scheduler,
  sqsQueue,
} from "@escapement/aws-lambda";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createEngine } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { createClient } from "@libsql/client/web";
import { refund } from "./workflow.ts";

const demand = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set`);
  return value;
};
// The stack sets these.
const platform = scheduler({
  queue: sqsQueue(demand("ESCAPEMENT_QUEUE_URL")),
  schedules: oneTimeSchedules({
    groupName: demand("ESCAPEMENT_SCHEDULE_GROUP"),
    queueArn: demand("ESCAPEMENT_QUEUE_ARN"),
    roleArn: demand("ESCAPEMENT_SCHEDULE_ROLE_ARN"),
  }),
  namespace: demand("ESCAPEMENT_NAMESPACE"),
});

// And these are the application's own.
const token = demand("API_TOKEN");
const client = createClient({ url: demand("DATABASE_URL"), authToken: demand("DATABASE_TOKEN") });
const engine = createEngine({
  workflows: { REFUND: refund },
  store: createSqlStore({ database: createLibsqlDatabase(client) }),
  platform,
  http: { authorizeRequest: ({ request }) => checkToken(request) },
});

export const handler = createHandler(engine, { scheduler: platform });

function checkToken({ headers }: Request): Response | undefined {
  const isAllowed = headers.get("authorization") === `Bearer ${token}`;
  return isAllowed ? undefined : new Response("Unauthorized", { status: 401 });
}
