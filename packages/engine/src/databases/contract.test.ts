/** The stores migrate by themselves here. The tests set the time, so the databases are opened in the way of `postgres` and `sqlite`. */
import { describeStoreContract } from "../testing/store-contract/contract.ts";
import { openPostgresStore, openSqliteStore } from "./testing-stores.ts";

const ALL_CAPABILITIES = {
  severalStores: true,
  outsideWrites: true,
  commitsForeignWrites: true,
} as const;

describeStoreContract({
  name: "postgres(url)",
  capabilities: ALL_CAPABILITIES,
  setup: openPostgresStore,
});

describeStoreContract({
  name: "sqlite(file)",
  capabilities: ALL_CAPABILITIES,
  setup: openSqliteStore,
});
