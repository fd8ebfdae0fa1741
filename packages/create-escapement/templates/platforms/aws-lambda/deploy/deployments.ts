/** What the stack was written from. Secrets stay in Secrets Manager, in one that is named `escapement-app`. */
import { type Deployment, deploy } from "@escapement/aws-lambda";
import { DATABASE_SECRETS } from "./secrets.ts";

const toReference = (name: string): readonly [string, string] => [
  name,
  `{{resolve:secretsmanager:escapement-app:SecretString:${name}}}`,
];

export const deployments: readonly Deployment[] = [
  deploy({
    name: "escapement-app",
    apiAuth: "NONE",
    environment: Object.fromEntries(["API_TOKEN", ...DATABASE_SECRETS].map(toReference)),
  }),
];
