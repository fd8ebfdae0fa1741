/** What the two functions share. */
import { createNetlifyPlatform } from "@escapement/netlify";
import { createSqlStore } from "@escapement/engine/store/sql";
import { createRunnerEngine } from "../../runner-engine.ts";
import { openDatabase } from "../open-database.ts";
import { settings } from "../settings-from-env.ts";

const database = openDatabase(settings.database);
const runtime = `Netlify dev, Node ${process.versions.node}`;
const { siteUrl } = settings;

export const platform = createNetlifyPlatform({ signingKeys: [settings.tickSecret], siteUrl });
export const store = createSqlStore({ database });
export const engine = createRunnerEngine({ settings, runtime, database, platform });
