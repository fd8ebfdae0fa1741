/** Filters of instances, as addresses, queries and bulk jobs express them. */
import { type BulkFilter, isEnded, STATUSES } from "./shapes.ts";

/** The names of the filters in the address. */
export const FILTERS = ["workflow", "status", "tag", "prefix", "code", "from", "before"] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Readonly<Partial<Record<Filter, string>>>;

/** The statuses of instances that have not ended, as the address has them. */
export const LIVE: string = STATUSES.filter((status) => !isEnded(status)).join(",");

export function readFilters(query: URLSearchParams): Filters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );
}

/** In the form for list routes. */
export const toQuery = ({ workflow, status, tag, prefix, code, from, before }: Filters) => ({
  workflows: workflow,
  status,
  tag,
  idPrefix: prefix,
  errorCode: code,
  createdFrom: toEpochMs(from),
  createdBefore: toEpochMs(before),
});

/** In the form for bulk jobs. JSON leaves out what is not given. */
export function toBulkFilter(filters: Filters): BulkFilter {
  const { workflows, status, ...rest } = toQuery(filters);
  const given = {
    ...rest,
    workflows: workflows === undefined ? undefined : [workflows],
    status: status?.split(","),
  };
  return given as BulkFilter;
}

/** In the reader's time zone, like the input field. */
function toEpochMs(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(at) ? undefined : at;
}
