/** A client of `pg` on which BEGIN was sent, or one with the same `query`. */
import { hasMethod, type Opening } from "./opening.ts";
import { postgresRunner, rowsOf } from "./postgres.ts";

/** The database itself refuses a pool, because there is no transaction to create a savepoint in. */
export const openPg: Opening = (transaction) => {
  if (!hasMethod(transaction, "query")) return null;
  return {
    dialect: "postgres",
    runner: () =>
      postgresRunner(async (text, values) => rowsOf(await transaction.query(text, [...values]))),
  };
};
