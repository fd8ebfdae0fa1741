/** Which instances are asked for, as addresses, queries and bulk jobs say it. */
import { type BulkFilter, isEnded, STATUSES } from "./shapes.ts";

/** Names of the filters in the address. */
export const FILTERS = ["workflow", "status", "tag", "prefix", "code", "from", "before"] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Readonly<Partial<Record<Filter, string>>>;

/** Statuses of what has not ended, as the address has them. */
export const LIVE: string = STATUSES.filter((status) => !isEnded(status)).join(",");

export function readFilters(query: URLSearchParams): Filters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );
}

/** As the routes of lists take them. */
export const toQuery = ({ workflow, status, tag, prefix, code, from, before }: Filters) => ({
  workflows: workflow,
  status,
  tag,
  idPrefix: prefix,
  errorCode: code,
  createdFrom: toEpochMs(from),
  createdBefore: toEpochMs(before),
});

/** As bulk jobs take them. What is not given is left out by JSON. */
export function toBulkFilter(filters: Filters): BulkFilter {
  const { workflows, status, ...rest } = toQuery(filters);
  const given = {
    ...rest,
    workflows: workflows === undefined ? undefined : [workflows],
    status: status?.split(","),
  };
  return given as BulkFilter;
}

/** In the reader's zone, as the field has it. */
function toEpochMs(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(at) ? undefined : at;
}
