/** What a store is asked for when instances are taken to another one: read whole here, written whole there. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { ParentRef } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { MovedInstance, MovedPart, MovedRecord } from "../core/move/records.ts";
import type { LiveInstance } from "./delete.ts";

/** An instance of a family, in few words. */
export interface FamilyMember extends InstanceRef {
  readonly status: InstanceStatusName;
  readonly parent: Pick<ParentRef, "workflowName" | "instanceId"> | null;
}

/** What a family is like: another one after any write but those of steps and entries, which need a lease. */
export interface FamilyMark {
  /** Instances. */
  readonly members: number;
  /** Another one after each write of an instance. Of this store alone. */
  readonly version: number;
  /** Events, of all runs, whether or not a step has taken them. */
  readonly events: number;
}

export interface Family {
  /** The instance that was asked for, and all below it, in no order: `MAX_FAMILY` + 1 at most. Empty: there is none. */
  readonly members: readonly FamilyMember[];
  readonly mark: FamilyMark;
  /** The run that started the instance, if that has not ended. */
  readonly liveParent: LiveInstance | null;
}

/** Instances that are measured at once. */
export const MEASURED_AT_ONCE = 1000;

/** What an instance comes to. */
export interface MemberSize {
  /** Bytes of its texts and of those of all that belongs to it, and `ITEM_BYTES` for each record. */
  readonly sizeBytes: number;
  /** Open waits for messages of topics. */
  readonly topicWaitCount: number;
}

/** Behind a record. */
export interface PartPlace {
  /** Its instance: which of those that were asked for. */
  readonly member: number;
  /** Of one kind and one instance, rising. */
  readonly place: number;
}

export interface ReadPartsRequest {
  readonly members: readonly InstanceRef[];
  readonly kind: MovedPart["kind"];
  readonly after: PartPlace;
}

/** A record, and whose it is. */
export interface PlacedPart {
  /** Its instance: which of those that were asked for. */
  readonly member: number;
  readonly record: MovedPart;
}

/** In the order of the instances, then in that in which they were stored: 1000 and about 4 MiB at most, and one at least, if there is one. */
export interface PartsPage {
  readonly records: readonly PlacedPart[];
  /** null: these are all. */
  readonly next: PartPlace | null;
}

/** Instances that are read together, and the first page of each kind of what they have. */
export interface MembersPage {
  /** In the order in which they were asked for; those that are gone are left out. */
  readonly instances: readonly MovedInstance[];
  readonly step: PartsPage;
  readonly event: PartsPage;
  readonly progress: PartsPage;
}

/** A record as it is staged, and whose it is. */
export interface StagedRecord extends InstanceRef {
  readonly record: MovedRecord;
  /** Row id. Steps and events keep theirs. */
  readonly rowId: string;
  /** Of an entry: UTF-8 bytes of the values of those before it. Else 0. */
  readonly bytesBefore: number;
}

/** An import, and the workflows whose instances it brings. What is staged is seen by nobody before it is finished. */
export interface ImportRef {
  /** See `ExportHeader.exportId`. */
  readonly importId: string;
  readonly workflowNames: readonly string[];
}

export interface StageRequest extends ImportRef {
  /** 200 at most. Those that are staged already are left alone. */
  readonly records: readonly StagedRecord[];
}

/** How many records of each kind. */
export type MovedCounts = Readonly<Record<MovedRecord["kind"], number>>;

/** An open wait for a message of a topic that has yet to get one. */
export interface MovedTopicWait {
  readonly stepId: string;
  readonly topic: string;
}

/** An open wait that takes no event up to this one; null: there is none that it does not take. */
export interface MovedEventMark {
  readonly stepId: string;
  readonly eventId: string | null;
}

export interface FinishImportRequest extends ImportRef {
  readonly root: InstanceRef;
  /** Row id of the root. */
  readonly rootRowId: string;
  readonly counts: MovedCounts;
  /** They get the next message that is emitted here. */
  readonly topicWaits: readonly MovedTopicWait[];
  readonly eventMarks: readonly MovedEventMark[];
}

/** `exists`: an instance has the id of one that is staged. `incomplete`: something else is staged than `counts` say. Neither writes anything. */
export type FinishImportResult =
  | { readonly kind: "imported" }
  | { readonly kind: "exists"; readonly instance: InstanceRef }
  | { readonly kind: "incomplete" };

/** `changed`: the family is not as the mark says, and goes on; nothing was written. */
export type CloseMovedResult =
  | { readonly kind: "closed"; readonly count: number }
  | { readonly kind: "changed" };

/** Each call is one trip. */
export interface MovingStore {
  /** The instance and all below it. */
  loadFamily(instance: InstanceRef): Promise<Family>;
  /** What each of them comes to, in their order: `MEASURED_AT_ONCE` at most. One that is gone comes to nothing. */
  measure(members: readonly InstanceRef[]): Promise<readonly MemberSize[]>;
  /** Open waits of their current runs, by topic. */
  loadTopicWaits(members: readonly InstanceRef[]): Promise<readonly MovedTopicWait[]>;
  /**
   * @param members as many as `measure` says come to some megabytes, or one
   * @param only of what they have, this kind alone is read, and the pages of others are empty. @default all
   */
  loadMembers(members: readonly InstanceRef[], only?: MovedPart["kind"]): Promise<MembersPage>;
  readParts(request: ReadPartsRequest): Promise<PartsPage>;
  /** Writes records aside, where nobody looks. */
  stage(request: StageRequest): Promise<void>;
  /** Makes all that is staged what instances are, at once: paused, or ended. */
  finishImport(request: FinishImportRequest): Promise<FinishImportResult>;
  /** Removes what is staged, if anything is. */
  discardImport(request: ImportRef): Promise<void>;
  /**
   * Ends a family that was moved, as long as it is as it was then: its paused instances are `terminated`. One that has ended as a
   * whole is left alone, with a count of 0.
   */
  closeMoved(instance: InstanceRef, mark: FamilyMark): Promise<CloseMovedResult>;
}

/** What the store has of this. Loaded when it is first asked for. */
export interface MovableStore {
  moving(): Promise<MovingStore>;
}

/** What was done with one family of a file of exports. */
export interface MovedFamily {
  /** Of the instance that was exported. */
  readonly workflowName: string;
  readonly id: string;
  /** Instances: itself, its children and theirs. */
  readonly instanceCount: number;
}

/** A file of exports as it comes: text, or its UTF-8 bytes, cut anywhere. */
export type ExportChunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
