/** The database: Postgres 14 or newer, also behind PgBouncer. */
import { postgres } from "@escapement/engine/postgres";

export const store = postgres(process.env["DATABASE_URL"]);
