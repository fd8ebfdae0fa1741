/** Which process holds a lease, as the token of its claim tells. */

/** A process, as the tokens of its claims name it. */
export interface LeaseHolder {
  /** The id that outlives the process; null: it has none. Letters, digits, `_` and `-`. */
  readonly runnerId: string | null;
  /** Tells this process from earlier ones with the same `runnerId`. */
  readonly life: string;
  /** The process's name for itself. */
  readonly runner: string;
}

/**
 * The beginning of the tokens of one claim. Leases of an earlier process with the same id are found by the prefix `runnerId~`, because
 * no other token has a `~` before an `@`.
 *
 * @param id never used before, as long as others; letters, digits, `_` and `-`. The name of a process without `runnerId` may be the
 *   end of its ids. It is not repeated then, because each claim writes its token to a row and an index
 */
export const toClaimToken = ({ runnerId, life, runner }: LeaseHolder, id: string): string =>
  runnerId === null ? `${withoutEnd(id, runner)}@${runner}` : `${runnerId}~${life}~${id}`;

const withoutEnd = (id: string, end: string): string =>
  id.endsWith(end) ? id.slice(0, id.length - end.length) : id;

/** The process that a claim's token names; null: none. */
export function runnerOf(claimToken: string | null): string | null {
  const { runner, runnerId } =
    /^(?:[^~@]*@(?<runner>.+)|(?<runnerId>[^~@]+)~.*)$/su.exec(claimToken ?? "")?.groups ?? {};
  return runner ?? runnerId ?? null;
}
