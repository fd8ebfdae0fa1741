/** The database: Turso, or a libSQL server. */
import { libsql } from "@escapement/engine/libsql";

const { DATABASE_URL, DATABASE_TOKEN } = process.env;
export const store = libsql(DATABASE_URL, { authToken: DATABASE_TOKEN });
