/** Moves instances from one store to another: reads whole families here, and writes them there. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { ParentRef } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { MovedInstance, MovedPart, MovedRecord } from "../core/move/records.ts";
import type { LiveInstance } from "./delete.ts";

/** An instance of a family, with what the family needs to know of it. */
export interface FamilyMember extends InstanceRef {
  readonly status: InstanceStatusName;
  readonly parent: Pick<ParentRef, "workflowName" | "instanceId"> | null;
}

/** A mark of a family's state. It differs after every write, except writes of steps and progress entries, which need a lease. */
export interface FamilyMark {
  /** How many instances the family has. */
  readonly members: number;
  /** Changes with each write to an instance. Only means something in this store. */
  readonly version: number;
  /** How many events all runs have, whether or not a step has taken them. */
  readonly events: number;
}

export interface Family {
  /** The instance that was asked for and all its descendants, in no particular order: `MAX_FAMILY` + 1 at most. Empty: there is no such instance. */
  readonly members: readonly FamilyMember[];
  readonly mark: FamilyMark;
  /** The run that started the instance, if that has not ended. */
  readonly liveParent: LiveInstance | null;
}

/** The most instances that one call measures. */
export const MEASURED_AT_ONCE = 1000;

/** The size of an instance. */
export interface MemberSize {
  /** Bytes of the texts of the instance and of everything that belongs to it, and `ITEM_BYTES` for each record. */
  readonly sizeBytes: number;
  /** Open waits for messages of topics. */
  readonly topicWaitCount: number;
}

/** The position after a record. */
export interface PartPlace {
  /** The index of its instance among those that were asked for. */
  readonly member: number;
  /** Rises among the records of one kind and one instance. */
  readonly place: number;
}

export interface ReadPartsRequest {
  readonly members: readonly InstanceRef[];
  readonly kind: MovedPart["kind"];
  readonly after: PartPlace;
}

/** A record, and the instance that it belongs to. */
export interface PlacedPart {
  /** The index of its instance among those that were asked for. */
  readonly member: number;
  readonly record: MovedPart;
}

/** Records in the order of the instances, then in the order in which they were stored: at most 1000 and about 4 MiB, but at least one, if there is one. */
export interface PartsPage {
  readonly records: readonly PlacedPart[];
  /** null: these are all. */
  readonly next: PartPlace | null;
}

/** Instances that are read together, and the first page of each kind of their records. */
export interface MembersPage {
  /** In the order in which they were asked for, without those that no longer exist. */
  readonly instances: readonly MovedInstance[];
  readonly step: PartsPage;
  readonly event: PartsPage;
  readonly progress: PartsPage;
}

/** A staged record, and the instance that it belongs to. */
export interface StagedRecord extends InstanceRef {
  readonly record: MovedRecord;
  /** Its row id. Steps and events keep the one that they had. */
  readonly rowId: string;
  /** For a progress entry: UTF-8 bytes of the values of all entries before it. Otherwise 0. */
  readonly bytesBefore: number;
}

/** An import, and the workflows of its instances. Nobody sees staged records before the import is finished. */
export interface ImportRef {
  /** See `ExportHeader.exportId`. */
  readonly importId: string;
  readonly workflowNames: readonly string[];
}

export interface StageRequest extends ImportRef {
  /** At most 200. Records that are staged already are left alone. */
  readonly records: readonly StagedRecord[];
}

/** How many records of each kind. */
export type MovedCounts = Readonly<Record<MovedRecord["kind"], number>>;

/** An open wait for a message of a topic. */
export interface MovedTopicWait {
  readonly stepId: string;
  readonly topic: string;
}

/** An open wait that takes no event up to and including this one; null: it takes any event. */
export interface MovedEventMark {
  readonly stepId: string;
  readonly eventId: string | null;
}

export interface FinishImportRequest extends ImportRef {
  readonly root: InstanceRef;
  /** Row id of the root. */
  readonly rootRowId: string;
  readonly counts: MovedCounts;
  /** Waits that get the next message that is emitted in this store. */
  readonly topicWaits: readonly MovedTopicWait[];
  readonly eventMarks: readonly MovedEventMark[];
}

/** `exists`: a staged instance has an id that is taken. `incomplete`: what is staged differs from `counts`. Neither writes anything. */
export type FinishImportResult =
  | { readonly kind: "imported" }
  | { readonly kind: "exists"; readonly instance: InstanceRef }
  | { readonly kind: "incomplete" };

/** `changed`: the family has changed since the mark, and has not ended; nothing was written. */
export type CloseMovedResult =
  | { readonly kind: "closed"; readonly count: number }
  | { readonly kind: "changed" };

/** Each call is one trip. */
export interface MovingStore {
  /** Reads the instance and all its descendants. */
  loadFamily(instance: InstanceRef): Promise<Family>;
  /** Measures up to `MEASURED_AT_ONCE` instances, in their order. The size of one that no longer exists is 0. */
  measure(members: readonly InstanceRef[]): Promise<readonly MemberSize[]>;
  /** Reads the open waits for topics of their current runs. */
  loadTopicWaits(members: readonly InstanceRef[]): Promise<readonly MovedTopicWait[]>;
  /**
   * @param members as many as `measure` says come to some megabytes, or one
   * @param only of what they have, this kind alone is read, and the pages of others are empty. @default all
   */
  loadMembers(members: readonly InstanceRef[], only?: MovedPart["kind"]): Promise<MembersPage>;
  readParts(request: ReadPartsRequest): Promise<PartsPage>;
  /** Writes records where nothing else reads them. */
  stage(request: StageRequest): Promise<void>;
  /** Turns all staged records into instances, paused or ended, in one transaction. */
  finishImport(request: FinishImportRequest): Promise<FinishImportResult>;
  /** Removes staged records, if there are any. */
  discardImport(request: ImportRef): Promise<void>;
  /**
   * Ends a family that was moved, if it has not changed since: its paused instances become `terminated`. A family that has
   * ended as a whole is left alone, with a count of 0.
   */
  closeMoved(instance: InstanceRef, mark: FamilyMark): Promise<CloseMovedResult>;
}

/** Gives access to the `MovingStore`, whose code is loaded when it is first needed. */
export interface MovableStore {
  moving(): Promise<MovingStore>;
}

/** One family of an export file that was imported or closed. */
export interface MovedFamily {
  /** The workflow of the instance that was exported. */
  readonly workflowName: string;
  readonly id: string;
  /** Instances: itself, its children and theirs. */
  readonly instanceCount: number;
}

/** The contents of an export file: chunks of text or of UTF-8 bytes, cut anywhere. */
export type ExportChunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
