/** Brings the schema up to date; each build runs it. */
import { libsql } from "@escapement/engine/libsql";

const { DATABASE_URL = "http://127.0.0.1:8080", DATABASE_TOKEN } = process.env;
const store = libsql(DATABASE_URL, { authToken: DATABASE_TOKEN });
await store.migrate();
await store.close();
