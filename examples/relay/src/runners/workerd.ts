/** Runs in workerd: a Durable Object that drives, on a database that is not its own. */
import { DurableObject } from "cloudflare:workers";
import { defineObject, handler, type ObjectNamespace } from "@escapement/cloudflare";
import { createRunnerEngine } from "../runner-engine.ts";
import type { RunnerSettings } from "../runner-settings.ts";
import { openHttpDatabase } from "./open-http-database.ts";

interface Env {
  readonly SETTINGS: RunnerSettings;
  readonly RELAY: ObjectNamespace;
}

/** The class of the binding RELAY. */
export const Relay = defineObject(
  DurableObject<Env>,
  ({ env: { SETTINGS: settings }, platform }) => {
    const { runtime = navigator.userAgent } = settings;
    const database = openHttpDatabase(settings.database);
    return createRunnerEngine({ settings, runtime, database, platform });
  },
);

// oxlint-disable-next-line import/no-default-export -- workerd takes the handler from there
export default handler<Env>({ objects: ({ RELAY }) => RELAY });
