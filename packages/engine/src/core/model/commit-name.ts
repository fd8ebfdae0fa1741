/** The trace of a commit that ends its lease, by which a repeat of it is recognised. */
import type { Commit } from "./change.ts";

/** Unique among all commits, because tokens are never used twice. */
export const toCommitName = ({ lease, number }: Pick<Commit, "lease" | "number">): string =>
  `${lease.token}#${number}`;
