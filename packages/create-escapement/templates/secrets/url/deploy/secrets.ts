/** Names of what the database needs in a deployment. */
export const DATABASE_SECRETS: readonly string[] = ["DATABASE_URL"];
