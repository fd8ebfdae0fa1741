/** The application on Netlify: what its three functions share. */
import { bearerAuth, createEngine } from "@escapement/engine";
import { createNetlifyPlatform } from "@escapement/netlify";
import { store } from "./store.ts";
import { signup } from "./workflow.ts";

const { API_TOKEN, TICK_SIGNING_KEY = "" } = process.env;
export const engine = createEngine({
  workflows: { SIGNUP: signup },
  store,
  platform: createNetlifyPlatform({ signingKeys: [TICK_SIGNING_KEY], siteUrl: process.env["URL"] }),
  http: { authorizeRequest: bearerAuth(API_TOKEN) },
});
