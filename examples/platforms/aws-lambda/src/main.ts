/** The application on AWS Lambda: one handler for requests and for wakes. */
import { createLambdaPlatform, fromEnv, handler as createHandler } from "@escapement/aws-lambda";
import { bearerAuth, createEngine } from "@escapement/engine";
import { libsql } from "@escapement/engine/libsql";
import { defineRefund } from "./workflow.ts";

const { env } = process;
const engine = createEngine({
  workflows: { REFUND: defineRefund(env["PAYOUT_URL"]) },
  store: libsql(env["DATABASE_URL"], { authToken: env["DATABASE_TOKEN"] }),
  platform: createLambdaPlatform(fromEnv(env)),
  http: { authorizeRequest: bearerAuth(env["API_TOKEN"]) },
});

export const handler = createHandler(engine);
