/** What the committed files were written from. */
import { type Deployment, deploy } from "@escapement/node";

export const deployments: readonly Deployment[] = [
  deploy({ target: "docker", name: "refunds" }),
  deploy({ target: "systemd", name: "refunds" }),
  deploy({ target: "procfile", name: "refunds" }),
];
