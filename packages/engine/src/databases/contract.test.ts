/** Nobody migrates here: the stores do. Time is the test's, so the databases are opened as `postgres` and `sqlite` open them. */
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
