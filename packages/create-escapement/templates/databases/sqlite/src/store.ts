/** The database: a file on this machine. */
import { sqlite } from "@escapement/engine/sqlite";

export const store = sqlite(process.env["DATABASE_FILE"] ?? "escapement-app.db");
