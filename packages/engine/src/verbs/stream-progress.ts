/** @module `instance.stream()`: the entries of an instance's progress, one after another. */
import type { StreamEntry, StreamOptions } from "../authoring/progress.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { ProgressService } from "../ports/progress-service.ts";
import { MAX_WAIT_MS } from "./fields.ts";

const OPTIONS: Readonly<Record<keyof StreamOptions, 1>> = { after: 1, signal: 1 };

/** @throws as `WorkflowInstance.stream` */
export async function* streamProgress<T>(
  service: ProgressService,
  { workflowName, instanceId }: InstanceRef,
  options: StreamOptions = {},
): AsyncGenerator<StreamEntry<T>, void, void> {
  assertKnownOptions("stream", options, OPTIONS);
  const { signal, after = 0 } = options;
  const asked = { waitMs: MAX_WAIT_MS, ...(signal && { signal }) };
  for (let cursor = after, ended = false; !ended;) {
    signal?.throwIfAborted();
    const page = await service.readProgress(workflowName, instanceId, { ...asked, after: cursor });
    signal?.throwIfAborted();
    for (const { timestamp, value, ...entry } of page.entries)
      yield { ...entry, value: value as T, timestamp: new Date(timestamp) };
    ({ cursor, ended } = page);
  }
}
