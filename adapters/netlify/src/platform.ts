/** Wakes on Netlify: all work is done in the background function, which everybody else calls. */
import { type Platform, WorkflowError } from "@escapement/engine";
import { demandOption } from "@escapement/engine/deploy";
import { createDeferrals, createWakeNote, type WakeNote } from "@escapement/engine/drive";
import { createSelfCall, type SelfCallOptions } from "@escapement/engine/http";
import { type BlobStore, toNoteStore } from "./blob-note.ts";
import type { NetlifyContext } from "./types.ts";

export interface NetlifyPlatformOptions {
  /** HMAC keys of the calls to the background function, the current one first. At least 24 bytes each. */
  readonly signingKeys: readonly string[];
  /** Where the background function is called, for instance `https://orders.netlify.app`. @default `context.site.url` */
  readonly siteUrl?: string | undefined;
  /** Name of the background function's file, without its ending; it must end in `-background`. @default "workflows-background" */
  readonly backgroundName?: string;
  /** Deploys whose code may work. @default ["production"] */
  readonly deployContexts?: readonly string[];
  /** Have the schedule begin runs that stay for what comes due inside the minute. @default true; false is cheaper, and up to a minute late */
  readonly looksAhead?: boolean;
  /**
   * `getStore({ name: "workflows", consistency: "strong" })` of `@netlify/blobs`: when the next work is due is noted there, and
   * the schedule asks the database only then, and once an hour. All that create or control instances in this database must
   * have it: others' work may be an hour late. One store is for one database. @default the schedule asks the database each minute
   */
  readonly blobs?: BlobStore;
  /** Process clock in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** For `createEngine({ platform })` and for the three functions. */
export interface NetlifyPlatform extends Platform {
  readonly signingKeys: readonly string[];
  /** Path of the background function; what its calls are signed for. */
  readonly backgroundPath: string;
  /** What calls are signed for that ask a run to stay: no other call can be taken for one. */
  readonly holderAudience: string;
  readonly looksAhead: boolean;
  readonly now: () => number;
  readonly note: WakeNote;
  /** An invocation has begun, and is killed after `limitMs`. */
  begin(context: NetlifyContext, limitMs: number): void;
  /** Begins a run that stays for what comes due inside the minute. For the schedule alone: each one is billed for its wait. */
  beginHolder(): Promise<void>;
  /** Work that comes due here meanwhile is the tick's. */
  whileTicking<T>(tick: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is in hand. */
  settled(): Promise<void>;
  /** @throws {WorkflowError} TICK_DISABLED in deploys that may not work */
  assertMayWork(): void;
}

/** Tells which of the two audiences a call is signed for. */
export const HOLDER_HEADER = "x-escapement-holder";

type Calls = Readonly<Record<"work" | "hold", () => Promise<void>>>;

/** @throws {WorkflowError} DEPLOY_OPTIONS_INVALID */
export function createNetlifyPlatform(options: NetlifyPlatformOptions): NetlifyPlatform {
  const { signingKeys, backgroundName = "workflows-background", looksAhead = true } = options;
  const { deployContexts = ["production"], blobs, now = Date.now } = options;
  // The suffix is what makes a function run for 15 minutes: with `background: true` alone it is killed after 60 s,
  // https://github.com/netlify/cli/issues/8354, open when read in 2026-11.
  demandOption("backgroundName", /^[\w-]+-background$/.test(backgroundName));
  const backgroundPath = `/.netlify/functions/${backgroundName}`;
  const holderAudience = `${backgroundPath}#holder`;
  const createCalls = (url: string): Calls =>
    toCalls({ url: url + backgroundPath, signingKeys, audience: backgroundPath }, holderAudience);
  // Bad keys are refused now, also where the site's address is known only from an invocation.
  let calls = createCalls(options.siteUrl ?? "https://localhost");
  let siteUrl = options.siteUrl ?? null;
  let refusedContext: string | null = null;
  let deadline: number | null = null;
  let tickCount = 0;
  const { defer, settled } = createDeferrals();
  const note = createWakeNote(blobs === undefined ? null : toNoteStore(blobs), { now });
  const call = async (kind: keyof Calls): Promise<void> => {
    if (refusedContext !== null) return;
    if (siteUrl === null) throw new WorkflowError("WAKE_FAILED", "siteUrl is not known");
    await calls[kind]();
  };
  return {
    signingKeys,
    backgroundPath,
    holderAudience,
    looksAhead,
    now,
    note,
    defer,
    settled,
    deadline: () => deadline,
    wakeIn: async () => {
      // Nothing on Netlify wakes at an instant: the schedule asks each minute.
    },
    wakeNow: async ({ reason }) => {
      await note.open();
      // The tick under way hears of it; only what it leaves needs another invocation.
      if (tickCount === 0 || reason === "more") await call("work");
    },
    beginHolder: () => call("hold"),
    begin: ({ deploy, site }, limitMs) => {
      deadline = now() + limitMs;
      const context = deploy?.context ?? "";
      refusedContext = context === "" || deployContexts.includes(context) ? null : context;
      if (siteUrl !== null || site?.url === undefined) return;
      calls = createCalls(site.url);
      siteUrl = site.url;
    },
    whileTicking: async (tick) => {
      tickCount += 1;
      try {
        return await tick();
      } finally {
        tickCount -= 1;
      }
    },
    assertMayWork: () => {
      if (refusedContext === null) return;
      const message = `Deploys of context "${refusedContext}" do not work; see the option deployContexts.`;
      throw new WorkflowError("TICK_DISABLED", message, { context: refusedContext });
    },
  };
}

const toCalls = (route: SelfCallOptions, audience: string): Calls => ({
  work: createSelfCall(route),
  hold: createSelfCall({ ...route, audience, headers: { [HOLDER_HEADER]: "1" } }),
});
