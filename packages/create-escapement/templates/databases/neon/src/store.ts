/** The database: Neon, over HTTP. */
import { neon } from "@escapement/engine/neon";

export const store = neon(process.env["DATABASE_URL"]);
