/** Brings the schema up to date; run it before each deployment. */
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { migrate } from "@escapement/engine/store/sql";
import { createClient } from "@libsql/client/web";

const { DATABASE_URL = "", DATABASE_TOKEN = "" } = process.env;
const database = createLibsqlDatabase(
  createClient({ url: DATABASE_URL, authToken: DATABASE_TOKEN }),
);
await migrate(database);
await database.close();
