/** Idempotency keys: the same for each attempt of a step, over retries and restarts, until new ones were asked for. */
import type { Report } from "../report.ts";
import type { Fail } from "./case.ts";

export function checkKeys({ world }: Report, fail: Fail): void {
  const keys = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const { runId, key, lease, idempotencyKey } of world.starts) {
    const instance = runId.slice(0, runId.lastIndexOf("/"));
    const owner = `${instance} ${lease.keyNumber} ${key}`;
    const before = keys.get(owner) ?? idempotencyKey;
    if (before !== idempotencyKey)
      fail("keys", `${runId} ${key} had the key ${before}, and has ${idempotencyKey}`);
    keys.set(owner, before);
    const other = owners.get(idempotencyKey) ?? owner;
    if (other !== owner) fail("keys", `${other} and ${owner} have the key ${idempotencyKey}`);
    owners.set(idempotencyKey, other);
  }
}
