/** Brings the schema up to date; each build runs it. */
import { migrate } from "@escapement/engine/store/sql";
import { openDatabase } from "./database.ts";

const database = openDatabase();
await migrate(database);
await database.close();
