/** Answers that reach their runners: a lease counts from the moment at which its runner hears of it. */
import { firstLeaseToken } from "./first-run.ts";
import type { Books } from "./books.ts";
import { type EndRequest, runIdOf } from "./facts.ts";
import type {
  ChildCreated,
  ClaimedRun,
  ClaimResult,
  Commit,
  CommitResult,
  NewInstance,
  SendEventResult,
} from "./engine-types.ts";
import type { StoreCall } from "./network.ts";

interface Delivery {
  readonly answer: unknown;
  readonly at: number;
}

/** A runner has been answered. */
export function noteDelivery(books: Books, call: StoreCall, { answer, at }: Delivery): void {
  for (const { token, run, endRequested } of leasesIn(call, answer)) {
    const lease = books.leaseOf(token, runIdOf(run));
    if (lease === undefined) continue;
    lease.isDelivered = true;
    books.heard(lease, endRequested, at);
  }
}

/** What is claimed with its creation, if anything. */
type Created = Pick<NewInstance, "workflowName" | "instanceId"> & {
  readonly claim: { readonly token: string } | null;
};

interface ToldLease {
  readonly token: string;
  readonly run: ClaimedRun["run"];
  readonly endRequested: EndRequest | null;
}

/** The leases that an answer tells of. */
function leasesIn({ verb, parameters }: StoreCall, answer: unknown): readonly ToldLease[] {
  const [asked] = parameters;
  if (verb === "claim") return (answer as ClaimResult).runs.map(ofClaimed);
  if (verb === "sendEvent") return ofEvent(answer as SendEventResult);
  if (verb === "create") return (asked as readonly NewInstance[]).flatMap(ofCreated);
  if (verb !== "commit") return [];
  const results = answer as readonly CommitResult[];
  return (asked as readonly Commit[]).flatMap((commit, index) => ofCommit(commit, results[index]));
}

const ofClaimed = ({ lease, run, endRequested }: ClaimedRun): ToldLease => ({
  token: lease.token,
  run,
  endRequested,
});

const ofCommit = (
  { lease, run, changes }: Commit,
  result: CommitResult | undefined,
): readonly ToldLease[] =>
  result?.kind === "committed"
    ? [
        { token: lease.token, run, endRequested: result.endRequested },
        ...createdBy(changes, result.children).flatMap(ofCreated),
      ]
    : [];

const ofEvent = (result: SendEventResult): readonly ToldLease[] =>
  result.kind === "applied" && result.run !== null ? [ofClaimed(result.run)] : [];

const createdBy = (
  changes: Commit["changes"],
  tasks: readonly string[] = [],
): readonly ChildCreated[] =>
  changes
    .filter((change) => change.kind === "childCreated")
    .filter(({ taskRowId }) => tasks.includes(taskRowId));

const ofCreated = ({ claim, workflowName, instanceId }: Created): readonly ToldLease[] => {
  if (claim === null) return [];
  const run = { workflowName, instanceId, runNumber: 1 };
  return [{ token: firstLeaseToken(claim.token), run, endRequested: null }];
};
