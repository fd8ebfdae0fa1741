/** Three ways to keep the process running; take the one you need, and delete what the others wrote. */
import { type Deployment, deploy } from "@escapement/node";

const name = "escapement-app";
const entry = "node_modules/next/dist/bin/next";

export const deployments: readonly Deployment[] = [
  deploy({ target: "docker", name, entry, args: ["start"] }),
  deploy({
    target: "systemd",
    name,
    entry,
    args: ["start", "-H", "127.0.0.1"],
    runsInFolder: true,
  }),
  deploy({ target: "procfile", name, entry, args: ["start"] }),
];
