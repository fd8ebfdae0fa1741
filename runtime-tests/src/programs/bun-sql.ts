/** Runs in Bun: clients of one Postgres database, whose URL is the first argument; the second is the time limit. */
import { SQL } from "bun";
import { createBunSqlDatabase } from "@escapement/db/bun-sql";
import { serveClients } from "../bridge/serve-clients.ts";
import { listen } from "./listen.ts";

const [url = "", batchTimeoutMs = "30000"] = process.argv.slice(2);

listen(
  serveClients(() =>
    createBunSqlDatabase(new SQL(url, { max: 10 }), { batchTimeoutMs: Number(batchTimeoutMs) }),
  ),
);
