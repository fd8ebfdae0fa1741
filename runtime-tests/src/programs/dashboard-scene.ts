/** The dashboard that each runtime serves: the scene of its own tests, with all that may be allowed. */
import { withDashboard } from "@escapement/dashboard";
import type { Engine } from "@escapement/engine";
import { openScene } from "../../../packages/dashboard/src/testing-scene.ts";

/** @param path where it is mounted */
export const openDashboard = async (path: string = "/dashboard"): Promise<Engine> =>
  withDashboard(await openScene(), {
    authorize: () => true,
    allow: ["steer", "events", "payloads"],
    path,
  });
