/** The engine: the workflows, on the database. */
import { bearerAuth, createEngine } from "@escapement/engine";
import { createNodePlatform } from "@escapement/node";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

export const platform = createNodePlatform();
export const engine = createEngine({
  workflows: { SIGNUP: signup },
  store,
  platform,
  http: {
    mountRoute: "/api/workflows",
    authorizeRequest: bearerAuth(process.env["API_TOKEN"]),
  },
});
