/** The database: Postgres 14 or newer, also behind PgBouncer. One connection for each function that is up. */
import { postgres } from "@escapement/engine/postgres";

export const store = postgres(process.env["DATABASE_URL"], { max: 1 });
