/** The application on Netlify: what its three functions share. */
import { createEngine } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { createNetlifyPlatform } from "@escapement/netlify";
import { openDatabase } from "./database.ts";
import { refund } from "./workflow.ts";

const { API_TOKEN, TICK_SIGNING_KEY = "", URL: siteUrl } = process.env;
export const platform = createNetlifyPlatform({ signingKeys: [TICK_SIGNING_KEY], siteUrl });
export const store = createSqlStore({ database: openDatabase() });
export const engine = createEngine({
  workflows: { REFUND: refund },
  store,
  platform,
  http: { authorizeRequest: ({ request }) => checkToken(request) },
});

function checkToken({ headers }: Request): Response | undefined {
  const isAllowed =
    API_TOKEN !== undefined && headers.get("authorization") === `Bearer ${API_TOKEN}`;
  return isAllowed ? undefined : new Response("Unauthorized", { status: 401 });
}
