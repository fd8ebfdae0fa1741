import { sqliteDialect } from "@escapement/db/client";
import { type ContractSetup, describeDatabaseContract } from "@escapement/db/testing";
import { connect } from "./bridge/connect.ts";
import { startWorker } from "./start-program.ts";
import { missingWorkerd } from "./tools.ts";

const setup = async (path: string): Promise<ContractSetup> => {
  const worker = await startWorker();
  const open = () => connect(new URL(path, worker.url).href, sqliteDialect);
  return { database: open(), open: () => Promise.resolve(open()), teardown: () => worker.stop() };
};

describeDatabaseContract({
  name: "Cloudflare D1 in workerd",
  skip: missingWorkerd(),
  setup: () => setup("d1"),
});

describeDatabaseContract({
  name: "SQL storage of a Durable Object in workerd",
  skip: missingWorkerd(),
  setup: () => setup("durable-object"),
});
