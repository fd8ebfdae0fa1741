/** Brings the schema up to date; `deno task migrate`, and before each deployment. */
import { libsql } from "@escapement/engine/libsql";

const store = libsql(Deno.env.get("DATABASE_URL") ?? "http://127.0.0.1:8080", {
  authToken: Deno.env.get("DATABASE_TOKEN"),
});
await store.migrate();
await store.close();
