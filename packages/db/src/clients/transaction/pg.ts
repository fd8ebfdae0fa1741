/** A client of `pg` on which BEGIN was sent, or one that answers `query` alike. */
import { hasMethod, type Opening } from "./opening.ts";
import { postgresRunner, rowsOf } from "./postgres.ts";

/** A pool is refused by the database itself: there is no transaction to make a savepoint in. */
export const openPg: Opening = (transaction) => {
  if (!hasMethod(transaction, "query")) return null;
  return {
    dialect: "postgres",
    runner: () =>
      postgresRunner(async (text, values) => rowsOf(await transaction.query(text, [...values]))),
  };
};
