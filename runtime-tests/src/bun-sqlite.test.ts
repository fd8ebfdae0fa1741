import { describeSqliteFile } from "./sqlite-file.ts";

describeSqliteFile({ name: "bun:sqlite", runtime: "bun", program: "bun-sqlite" });
