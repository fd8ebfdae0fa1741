/** The application on Netlify: what its three functions share. */
import { bearerAuth, createEngine } from "@escapement/engine";
import { libsql } from "@escapement/engine/libsql";
import { createNetlifyPlatform } from "@escapement/netlify";
import { defineRefund } from "./workflow.ts";

const { API_TOKEN, DATABASE_TOKEN, DATABASE_URL, PAYOUT_URL, TICK_SIGNING_KEY = "" } = process.env;
export const engine = createEngine({
  workflows: { REFUND: defineRefund(PAYOUT_URL) },
  store: libsql(DATABASE_URL ?? "http://127.0.0.1:8080", { authToken: DATABASE_TOKEN }),
  platform: createNetlifyPlatform({ signingKeys: [TICK_SIGNING_KEY], siteUrl: process.env["URL"] }),
  http: { authorizeRequest: bearerAuth(API_TOKEN) },
});
