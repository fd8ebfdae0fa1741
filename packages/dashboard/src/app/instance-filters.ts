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

/** In place of a status: those that should move and do not. */
export const STUCK = "stuck";

/** As the routes of lists take them. */
export const toQuery = ({ workflow, status, tag, prefix, code, from, before }: Filters) => ({
  workflows: workflow,
  status: status === STUCK ? undefined : status,
  stuck: status === STUCK ? (true as const) : undefined,
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

/** NaN, which the server refuses, for what is no instant: without that filter, more would match. */
const toEpochMs = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

/** As the address has it, in UTC: it means the same to whoever is sent it. @param field in the reader's zone */
export function toAddressTime(field: string): string {
  const at = Date.parse(field);
  return Number.isNaN(at) ? field : new Date(at).toISOString();
}

/** As the field has it. */
export function toFieldTime(text: string | undefined): string {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  if (Number.isNaN(at)) return "";
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
