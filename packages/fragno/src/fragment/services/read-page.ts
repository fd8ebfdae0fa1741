/** A page of rows from a find. */
import {
  ITEM_BYTES,
  type Page,
  PAGE_BYTES,
  type Shown,
  utf8Size,
} from "@escapement/engine/internal";
import type { FragnoRow } from "../rows.ts";

interface ReadPage<T> {
  readonly pageSize: number;
  readonly shown: { readonly maxPayloadBytes?: number };
  readonly read: (row: FragnoRow) => T;
  readonly payload: keyof T;
  readonly order: "asc" | "desc";
}

/** The number of rows is bounded by the read, and their bytes here: a find cannot leave out a column in some rows. */
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
