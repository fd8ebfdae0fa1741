/** The time of the next work, noted in Netlify Blobs. */
import type { NoteStore } from "@escapement/engine/adapter";

/** The part of a store of `@netlify/blobs` that is used. */
export interface BlobStore {
  get(key: string): Promise<string | null>;
  set(
    key: string,
    text: string,
    options?: { readonly onlyIfMatch: string },
  ): Promise<{ readonly etag?: string }>;
}

const KEY = "next-wake";

export const toNoteStore = (blobs: BlobStore): NoteStore => ({
  read: () => blobs.get(KEY),
  write: async (text) => (await blobs.set(KEY, text)).etag ?? null,
  replace: (text, written) => blobs.set(KEY, text, { onlyIfMatch: written }),
});
