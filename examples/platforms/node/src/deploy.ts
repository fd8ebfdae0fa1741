/** What the committed files were written from; see ../../src/generated.test.ts. */
import { type Deployment, deploy } from "@escapement/node";

export const deployments: readonly Deployment[] = [
  deploy({ target: "docker", name: "refunds" }),
  deploy({ target: "systemd", name: "refunds" }),
  deploy({ target: "procfile", name: "refunds" }),
];
