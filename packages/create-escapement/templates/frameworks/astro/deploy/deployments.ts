/** Three ways to keep the process running; take the one you need, and delete what the others wrote. */
import { type Deployment, deploy } from "@escapement/node";

const PROGRAM = { name: "escapement-app", entry: "dist/server/entry.mjs" };

export const deployments: readonly Deployment[] = [
  deploy({ target: "docker", ...PROGRAM }),
  deploy({ target: "systemd", ...PROGRAM }),
  deploy({ target: "procfile", ...PROGRAM }),
];
