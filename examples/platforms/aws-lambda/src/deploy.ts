/** What the committed stack was written from. Secrets stay in Secrets Manager. */
import { type Deployment, deploy } from "@escapement/aws-lambda";

const secret = (field: string): string =>
  `{{resolve:secretsmanager:refunds:SecretString:${field}}}`;

export const deployments: readonly Deployment[] = [
  deploy({
    name: "refunds",
    apiAuth: "NONE",
    environment: {
      API_TOKEN: secret("apiToken"),
      PAYOUT_URL: secret("payoutUrl"),
      DATABASE_URL: secret("databaseUrl"),
      DATABASE_TOKEN: secret("databaseToken"),
    },
  }),
];
