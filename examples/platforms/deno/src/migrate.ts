/** Brings the schema up to date; `deno task migrate`, and before each deployment. */
import { migrate } from "@escapement/engine/store/sql";
import { openDatabase } from "./database.ts";

const database = openDatabase();
await migrate(database);
await database.close();
