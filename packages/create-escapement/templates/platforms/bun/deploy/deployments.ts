/** Three ways to keep the process running; take the one you need, and delete what the others wrote. */
import { type Deployment, deploy } from "@escapement/bun";

export const deployments: readonly Deployment[] = [
  deploy({ target: "docker", name: "escapement-app" }),
  deploy({ target: "systemd", name: "escapement-app" }),
  deploy({ target: "procfile", name: "escapement-app" }),
];
