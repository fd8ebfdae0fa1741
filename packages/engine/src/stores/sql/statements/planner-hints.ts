/**
 * Conditions that say the same in other words, or are always true, so that a database walks our joins from the few rows
 * that it is given to the tables, by the keys, whatever its statistics say.
 *
 * Measured on PostgreSQL 18.4 (2026-11): it takes a JSON row set for 100 rows and then prefers to hash a whole table, and
 * a prepared plan that was made while a table was small is kept while it grows. A commit of one run took 9 to 30 times a
 * bare insert, with these 3.
 */

/** True for every text; of rows with such a condition Postgres expects one in 200. */
export const expectOneRow = (text: string): string => `${text} = ${text} || ''`;

/** The condition as a mere filter: never by an index, and not expected to leave few rows of a whole table. */
export const filter = (condition: string): string =>
  `case when ${condition} then true else false end`;
