/** For the tests of the dashboard's answers: an engine, and a function that asks. */
import type { Engine } from "@escapement/engine";
import { dashboard } from "./index.ts";
import type { DashboardOptions } from "./options.ts";
import { openScene } from "./testing-scene.ts";

export const ORIGIN = "https://shop.example";
export const open = { authorize: () => true };

/** Requests a path below the dashboard's. */
type Ask = (
  path: string,
  options?: Partial<DashboardOptions>,
  init?: RequestInit,
) => Promise<Response>;

export async function openAsk(): Promise<{ readonly engine: Engine; readonly ask: Ask }> {
  const engine = await openScene();
  const ask: Ask = (path, options, init) =>
    dashboard(engine, { ...open, ...options })(new Request(`${ORIGIN}/dashboard${path}`, init));
  return { engine, ask };
}
