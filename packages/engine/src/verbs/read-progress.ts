/** @module Reads the progress stream of an instance, or waits for its next entry. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { decodeJson } from "../core/codec.ts";
import { invalidField } from "../core/invalid-field.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { isTerminal } from "../core/model/status.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type {
  ProgressView,
  ReadProgressOptions,
  ReadProgressOutput,
} from "../ports/progress-service.ts";
import type { ProgressRecord } from "../core/progress.ts";
import type { ProgressPage, ReadProgressRequest } from "../ports/progress.ts";
import type { HostContext } from "./context.ts";
import { parseWaitMs, parseWholeNumber } from "./fields.ts";
import { notFound } from "./refusals.ts";
import type { Session } from "../run/session-interface.ts";
import { pollUntil, type Wait } from "./waiting.ts";

const OPTIONS: Readonly<Record<keyof ReadProgressOptions, 1>> = {
  after: 1,
  limit: 1,
  waitMs: 1,
  signal: 1,
};

const ENTRIES = 100;
const MOST_ENTRIES = 1000;

/** @throws as `EngineService.readProgress` */
export async function readProgress(
  context: HostContext,
  { name: workflowName }: RegisteredWorkflow,
  asked: { readonly id: string; readonly options: ReadProgressOptions | undefined },
): Promise<ReadProgressOutput> {
  const { waitMs = 0, signal } = asked.options ?? {};
  assertKnownOptions("readProgress", asked.options, OPTIONS);
  const request: ReadProgressRequest = {
    workflowName,
    instanceId: parseInstanceId(asked.id, context.limits),
    ...parseProgressRange(asked.options),
  };
  return awaitProgress(context, request, { timeoutMs: parseWaitMs(waitMs), signal });
}

/** @throws {WorkflowError} INVALID_REQUEST */
export function parseProgressRange({ after = 0, limit = ENTRIES }: ReadProgressOptions = {}): Pick<
  ReadProgressRequest,
  "after" | "limit"
> {
  if (!Number.isInteger(after) || after < 0 || after > 2_147_483_647)
    throw invalidField("after", "a whole number from 0");
  parseWholeNumber("limit", limit, { from: 1, to: MOST_ENTRIES });
  return { after, limit };
}

const awaitProgress = (
  context: HostContext,
  request: ReadProgressRequest,
  wait: Pick<Wait<ReadProgressOutput>, "timeoutMs" | "signal">,
): Promise<ReadProgressOutput> =>
  pollUntil(context, {
    ...wait,
    ref: request,
    read: () => readPage(context, request),
    isOver: ({ entries, ended }) => entries.length > 0 || ended,
    newsOf: (session) => [whenStreamed(session), session.milestones.ended],
  });

/** Resolves once a commit has added to the instance's stream. */
const whenStreamed = ({ known }: Session): Promise<void> =>
  new Promise((resolve) => void known.onStreamed.push(resolve));

/** @throws {WorkflowError} INSTANCE_NOT_FOUND */
async function readPage(
  { store }: Pick<HostContext, "store">,
  request: ReadProgressRequest,
): Promise<ReadProgressOutput> {
  const page = await store.readProgress(request);
  if (page === null) throw notFound(request);
  return toReadProgressOutput(page, request);
}

/** Turns a page into what callers see. @param after as in the request */
export function toReadProgressOutput(
  { status, newest, entries }: ProgressPage,
  { after }: Pick<ReadProgressRequest, "after">,
): ReadProgressOutput {
  const cursor = entries.at(-1)?.sequence ?? after;
  return {
    entries: entries.map(toView),
    cursor,
    missed: (entries[0]?.sequence ?? after + 1) - after - 1,
    ended: isTerminal(status) && cursor >= newest,
  };
}

const toView = ({
  sequence,
  runNumber,
  stepKey: step,
  attempt,
  createdAt: timestamp,
  value,
}: ProgressRecord): ProgressView => ({
  sequence,
  value: decodeJson(value),
  timestamp,
  step,
  attempt,
  runNumber,
});
