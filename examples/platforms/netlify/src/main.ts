/** The application on Netlify: what its three functions share. */
import { createEngine } from "@escapement/engine";
import { bearerAuth } from "@escapement/engine/http";
import { createSqlStore } from "@escapement/engine/store/sql";
import { createNetlifyPlatform } from "@escapement/netlify";
import { openDatabase } from "./database.ts";
import { defineRefund } from "./workflow.ts";

const { API_TOKEN, PAYOUT_URL, TICK_SIGNING_KEY = "", URL: siteUrl } = process.env;
export const platform = createNetlifyPlatform({ signingKeys: [TICK_SIGNING_KEY], siteUrl });
export const store = createSqlStore({ database: openDatabase() });
export const engine = createEngine({
  workflows: { REFUND: defineRefund(PAYOUT_URL) },
  store,
  platform,
  http: { authorizeRequest: bearerAuth(API_TOKEN) },
});
