/** Brings the schema up to date; run it before each deployment. */
import { libsql } from "@escapement/engine/libsql";

const { DATABASE_URL, DATABASE_TOKEN } = process.env;
const store = libsql(DATABASE_URL, { authToken: DATABASE_TOKEN });
await store.migrate();
await store.close();
