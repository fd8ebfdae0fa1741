/** A page of rows from a find. */
import {
  ITEM_BYTES,
  type Page,
  PAGE_BYTES,
  type PagePosition,
  type Shown,
  utf8Size,
} from "@escapement/engine/internal";
import type { FragmentHost } from "../fragment-host.ts";
import type { FragnoRow } from "../rows.ts";
import type { Is } from "./find-instance.ts";

interface ReadPage<T> {
  readonly pageSize: number;
  readonly shown: { readonly maxPayloadBytes?: number };
  readonly read: (row: FragnoRow) => T;
  readonly payload: keyof T;
  readonly order: "asc" | "desc";
}

/** Condition: a row comes behind the position; null: every row does. */
export function isBehind(
  is: Is,
  { sql }: FragmentHost,
  {
    position,
    order,
  }: Pick<ReadPage<unknown>, "order"> & { readonly position: PagePosition | null },
): unknown {
  if (position === null) return true;
  const isLater = order === "asc" ? ">" : "<";
  const at = sql.instant(position.at);
  return is.or(
    is("createdAt", isLater, at),
    is.and(is("createdAt", "=", at), is("id", isLater, position.id)),
  );
}

/** Bounded in rows where it is read, and in bytes here: a find has no way to leave a column out of some rows. */
export function toPage<T extends { readonly createdAt: number; readonly id: string }>(
  rows: readonly FragnoRow[],
  { pageSize, shown: { maxPayloadBytes = Infinity }, read, payload, order }: ReadPage<T>,
): Page<Shown<T>> {
  const direction = order === "asc" ? 1 : -1;
  const found = rows
    .map(read)
    .toSorted((a, b) => direction * (a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)));
  const items: Shown<T>[] = [];
  let bytes = 0;
  for (const item of found.slice(0, pageSize)) {
    const text = item[payload];
    const payloadBytes = typeof text === "string" ? utf8Size(text) : 0;
    const isLarge = payloadBytes > maxPayloadBytes;
    bytes += ITEM_BYTES + (isLarge ? 0 : payloadBytes);
    if (items.length > 0 && bytes > PAGE_BYTES / 2) break;
    items.push(isLarge ? { ...item, [payload]: null, omittedBytes: payloadBytes } : item);
  }
  const last = items.at(-1);
  const hasMore = found.length > items.length && last !== undefined;
  return { items, next: hasMore ? { at: last.createdAt, id: last.id } : null };
}
