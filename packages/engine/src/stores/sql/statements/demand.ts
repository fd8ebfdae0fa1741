/** What a call demands of an instance besides its run number, as conditions. */
import type { Dialect, SqlValue } from "@escapement/db/client";
import type { Conditions } from "../../../core/decide/demand.ts";

/** The value of the parameter of `hasStatusAmong`. */
export const toStatuses = ({ ifStatus }: Pick<Conditions, "ifStatus">): string | null =>
  ifStatus && `,${ifStatus.join()},`;

/** Condition: the instance has one of the statuses in a parameter, `,a,b,`; null: any. @param alias of the instance; "": none */
export function hasStatusAmong(dialect: Dialect, alias: string, position: number): string {
  const status = `',' || ${alias === "" ? "" : `${alias}.`}"status" || ','`;
  const statuses = `coalesce(${dialect.param(position)}, ${status})`;
  return `replace(${statuses}, ${status}, '') <> ${statuses}`;
}

/** The values of the parameters of `isDemanded`. */
export const toDemand = (demand: Conditions): readonly SqlValue[] => [
  demand.ifRunNumber,
  toStatuses(demand),
];

/** Condition: the instance is at the run in a parameter, or null, and has one of the statuses in the next one. */
export const isDemanded = (dialect: Dialect, alias: string, position: number): string =>
  `coalesce(${dialect.param(position)}, ${alias}."runNumber") = ${alias}."runNumber" ` +
  `and ${hasStatusAmong(dialect, alias, position + 1)}`;
