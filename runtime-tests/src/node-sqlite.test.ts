import { describeSqliteFile } from "./sqlite-file.ts";

describeSqliteFile({ name: "node:sqlite on Node 24", runtime: "node24", program: "node-sqlite" });
describeSqliteFile({ name: "node:sqlite on Deno", runtime: "deno", program: "node-sqlite" });
