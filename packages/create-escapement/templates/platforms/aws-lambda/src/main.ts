/** The application on AWS Lambda: one handler for requests and for wakes. */
import { createLambdaPlatform, fromEnv, handler as createHandler } from "@escapement/aws-lambda";
import { bearerAuth, createEngine } from "@escapement/engine";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

const { env } = process;
const engine = createEngine({
  workflows: { SIGNUP: signup },
  store,
  platform: createLambdaPlatform(fromEnv(env)),
  http: { authorizeRequest: bearerAuth(env["API_TOKEN"]) },
});

export const handler = createHandler(engine);
