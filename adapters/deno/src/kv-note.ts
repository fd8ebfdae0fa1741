/** The time of the next work, noted in Deno KV. */
import type { NoteStore } from "@escapement/engine/adapter";

type Key = readonly string[];

/** The part of `Deno.Kv` that is used. */
export interface DenoKv {
  get(key: Key): Promise<{ readonly value: unknown }>;
  set(key: Key, value: string): Promise<{ readonly versionstamp: string }>;
  atomic(): KvTransaction;
}

interface KvTransaction {
  check(entry: { readonly key: Key; readonly versionstamp: string }): KvTransaction;
  set(key: Key, value: string): KvTransaction;
  commit(): Promise<unknown>;
}

const KEY: Key = ["escapement", "next-wake"];

export const toNoteStore = (kv: DenoKv): NoteStore => ({
  read: async () => {
    const { value } = await kv.get(KEY);
    return typeof value === "string" ? value : null;
  },
  write: async (text) => (await kv.set(KEY, text)).versionstamp,
  replace: (text, versionstamp) =>
    kv.atomic().check({ key: KEY, versionstamp }).set(KEY, text).commit(),
});
