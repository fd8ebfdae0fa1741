/** Reads the instances of an export with their records: several at a time up to some megabytes, and a large one page by page. */
import { type InstanceRef, instanceKey } from "../core/model/instance-key.ts";
import type { MovedInstance, MovedPart, MovedRecord } from "../core/move/records.ts";
import { TOPIC_CHUNK } from "../core/topic.ts";
import {
  type MemberSize,
  MEASURED_AT_ONCE,
  type MembersPage,
  type MovingStore,
  type PartsPage,
} from "../ports/move.ts";
import type { Store } from "../ports/store.ts";
import { changed } from "./refusals.ts";

/** About how many bytes instances that are read together may have. */
const READ_TOGETHER_BYTES = 4_194_304;

/** An export under way. */
export interface Reading {
  readonly store: Store;
  readonly moving: MovingStore;
  /** The instance that was asked for. */
  readonly ref: InstanceRef;
}

/** Reads members. The number of trips depends on the size, not on the number of instances. @throws {WorkflowError} INSTANCE_CHANGED */
export async function* readMembers(
  reading: Reading,
  members: readonly InstanceRef[],
): AsyncGenerator<MovedRecord, void, undefined> {
  for (let at = 0; at < members.length; at += MEASURED_AT_ONCE) {
    const measured = members.slice(at, at + MEASURED_AT_ONCE);
    const sizes = await reading.moving.measure(measured);
    for (const { together, hasTopicWaits } of pack(measured, sizes)) {
      if (hasTopicWaits) await takeMessages(reading, together);
      yield* readTogether(reading, together);
    }
  }
}

interface Pack {
  readonly together: readonly InstanceRef[];
  readonly hasTopicWaits: boolean;
}

/** Packs members into groups, in their order. A larger one is alone. */
function pack(members: readonly InstanceRef[], sizes: readonly MemberSize[]): readonly Pack[] {
  const packs: { together: InstanceRef[]; hasTopicWaits: boolean; sizeBytes: number }[] = [];
  for (const [index, member] of members.entries()) {
    const { sizeBytes = 0, topicWaitCount = 0 } = sizes[index] ?? {};
    const last = packs.at(-1);
    const fits = last !== undefined && last.sizeBytes + sizeBytes <= READ_TOGETHER_BYTES;
    const into = fits ? last : { together: [], hasTopicWaits: false, sizeBytes: 0 };
    if (!fits) packs.push(into);
    into.together.push(member);
    into.sizeBytes += sizeBytes;
    into.hasTopicWaits ||= topicWaitCount > 0;
  }
  return packs;
}

/** Delivers messages that were emitted but not delivered yet, so that they are among the events. */
async function takeMessages({ store, moving }: Reading, together: Pack["together"]): Promise<void> {
  const waits = new Map<string, string[]>();
  for (const { stepId, topic } of await moving.loadTopicWaits(together)) {
    const ofTopic = waits.get(topic) ?? [];
    ofTopic.push(stepId);
    waits.set(topic, ofTopic);
  }
  for (const [topic, waitIds] of waits)
    for (let at = 0; at < waitIds.length; at += TOPIC_CHUNK)
      await store.deliver({ topic, waitIds: waitIds.slice(at, at + TOPIC_CHUNK), upTo: 0 });
}

async function* readTogether(
  { moving, ref }: Reading,
  members: Pack["together"],
): AsyncGenerator<MovedRecord, void, undefined> {
  const page = await moving.loadMembers(members);
  if (page.instances.length < members.length) throw changed(ref);
  const kinds = (["step", "event", "progress"] as const).map(
    (kind) => new PartReader({ moving, members, kind }, page[kind]),
  );
  for (const [member, instance] of page.instances.entries()) {
    yield toExported(instance, ref);
    for (const parts of kinds) yield* parts.read(member);
  }
}

/** Removes the parent of the exported instance: it has ended, and does not exist in the target store, or is another instance there. */
function toExported(instance: MovedInstance, ref: InstanceRef): MovedInstance {
  const parent = instanceKey(instance) === instanceKey(ref) ? null : instance.parent;
  return { ...instance, parent, pauseRequested: false };
}

interface Parts {
  readonly moving: MovingStore;
  readonly members: Pack["together"];
  readonly kind: keyof Omit<MembersPage, "instances">;
}

/** Reads the records of one kind, instance by instance. It holds one page. */
class PartReader {
  readonly #parts: Parts;
  #page: PartsPage;
  #at = 0;

  constructor(parts: Parts, first: PartsPage) {
    this.#parts = parts;
    this.#page = first;
  }

  /** @param member at or after that of the last call */
  async *read(member: number): AsyncGenerator<MovedPart, void, undefined> {
    for (;;) {
      const next = this.#page.records[this.#at];
      if (next?.member === member) {
        this.#at += 1;
        yield next.record;
      } else if (next !== undefined || !(await this.#turn())) return;
    }
  }

  /** @returns whether there was another page */
  async #turn(): Promise<boolean> {
    const { next: after } = this.#page;
    if (after === null) return false;
    const { moving, members, kind } = this.#parts;
    this.#page = await moving.readParts({ members, kind, after });
    this.#at = 0;
    return true;
  }
}
