/** The engine: the workflows, on the database. One for the process: Next.js bundles this file into each route. */
import { bearerAuth, createEngine } from "@escapement/engine";
import { createNodePlatform } from "@escapement/node";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

function open() {
  const platform = createNodePlatform();
  const engine = createEngine({
    workflows: { SIGNUP: signup },
    store,
    platform,
    http: {
      mountRoute: "/api/workflows",
      authorizeRequest: bearerAuth(process.env["API_TOKEN"]),
    },
  });
  return { platform, engine };
}

const shared = globalThis as { opened?: ReturnType<typeof open> };
export const { platform, engine } = (shared.opened ??= open());
