import { createFragnoAdapter } from "@escapement/fragno";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { serve } from "@hono/node-server";
import Libsql from "libsql";
import { initServer } from "./server/init.ts";

const connection = new Libsql(process.argv[2] ?? "sessions.db");
applyRecommendedPragmas(connection);
const database = createSqliteDatabase(connection);
const { myFragment, dispatcher } = await initServer(createFragnoAdapter({ database }));

const server = serve(
  {
    fetch: (request) => myFragment.handler(request),
    hostname: "127.0.0.1",
    port: Number(process.env["PORT"] ?? 3000),
  },
  ({ port }) => console.log(`Sessions: http://127.0.0.1:${port}/api/my-fragment/sessions`),
);
process.once("SIGINT", () => {
  server.close();
  void dispatcher.stopPolling().then(() => database.close());
});
