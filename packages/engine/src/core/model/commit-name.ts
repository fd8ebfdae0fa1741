/** What a commit that ends its lease leaves behind, so that a repeat of it is recognised. */
import type { Commit } from "./change.ts";

/** Unique among all commits: tokens are never used twice. */
export const toCommitName = ({ lease, number }: Pick<Commit, "lease" | "number">): string =>
  `${lease.token}#${number}`;
