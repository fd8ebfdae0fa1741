/** Wakes on Netlify: all work is done in the background function, which everything else calls. */
import { type Platform, WorkflowError } from "@escapement/engine";
import {
  assertOption,
  assertPlatformOptions,
  createDeferrals,
  createSelfCall,
  createTickPermit,
  createWakeNote,
  type TickOptions,
  type TickPermit,
  type WakeNote,
} from "@escapement/engine/adapter";
import { type BlobStore, toNoteStore } from "./blob-note.ts";
import type { NetlifyContext } from "./types.ts";

/** Options of the calls, the note in Netlify Blobs, and the deploys that may work. */
export interface NetlifyPlatformOptions {
  /** HMAC keys of the calls to the background function, the current one first. At least 24 bytes each. */
  readonly signingKeys: readonly string[];
  /** The site on which to call the background function, for example `https://orders.netlify.app`. @default `context.site.url` */
  readonly siteUrl?: string | undefined;
  /** Name of the background function's file, without its ending; it must end in `-background`. @default "workflows-background" */
  readonly backgroundName?: string;
  /** The deploy contexts whose code may work. @default ["production"] */
  readonly deployContexts?: readonly string[];
  /**
   * Let the schedule start runs that wait for what is due within the minute. @default true; false is cheaper, and up to a
   * minute late
   */
  readonly looksAhead?: boolean;
  /**
   * `getStore({ name: "workflows", consistency: "strong" })` of `@netlify/blobs`. The time of the next work is noted there,
   * and the schedule asks the database only then, and once an hour. Every process that creates or controls instances in this
   * database must have it; what others write may be found an hour late. Use one store for one database. @default the schedule
   * asks the database every minute
   */
  readonly blobs?: BlobStore;
  /** Process clock in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** The platform for `createEngine({ platform })` and the three functions. */
export interface NetlifyPlatform extends Platform, Pick<TickPermit, "assertMayTick"> {
  /** What the platform's calls are signed for: to work, or to stay. One cannot be used for the other. */
  readonly routes: Readonly<Record<"work" | "hold", TickOptions>>;
  readonly looksAhead: boolean;
  readonly now: () => number;
  readonly note: WakeNote;
  /** An invocation has begun, and is killed after `limitMs`. */
  begin(context: NetlifyContext, limitMs: number): void;
  /** Begins a run that stays for what is due within the minute. Only for the schedule, because each one is billed while it waits. */
  beginHolder(): Promise<void>;
  /** Work that becomes due here meanwhile is left to the tick. */
  whileTicking<T>(tick: () => Promise<T>): Promise<T>;
  /** Resolves when all calls have ended. */
  settled(): Promise<void>;
}

/** Tells which of the two audiences a call is signed for. */
export const HOLDER_HEADER = "x-escapement-holder";

const OPTIONS: Readonly<Record<keyof NetlifyPlatformOptions, 1>> = {
  signingKeys: 1,
  siteUrl: 1,
  backgroundName: 1,
  deployContexts: 1,
  looksAhead: 1,
  blobs: 1,
  now: 1,
};

/**
 * Creates the platform that the three functions of a site share: `createNetlifyPlatform({ signingKeys: [key], siteUrl:
 * process.env["URL"] })`, with a key of at least 24 random characters.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION
 */
export function createNetlifyPlatform(options: NetlifyPlatformOptions): NetlifyPlatform {
  assertPlatformOptions(options, OPTIONS);
  const { signingKeys, backgroundName = "workflows-background", looksAhead = true } = options;
  const { deployContexts = ["production"], blobs, now = Date.now } = options;
  // The suffix makes a function run for 15 minutes: with `background: true` alone it is killed after 60 s,
  // https://github.com/netlify/cli/issues/8354, open when read in 2026-11.
  const isBackground = /^[\w-]+-background$/.test(backgroundName);
  assertOption("backgroundName", isBackground, "a function whose name ends in -background");
  const path = `/.netlify/functions/${backgroundName}`;
  const work = { signingKeys, audience: path };
  const hold = { signingKeys, audience: `${path}#holder` };
  const toCalls = (url: string) => ({
    work: createSelfCall({ ...work, url: url + path }),
    hold: createSelfCall({ ...hold, url: url + path, headers: { [HOLDER_HEADER]: "1" } }),
  });
  let { siteUrl } = options;
  // Bad keys are refused now, even if the site's address is only known from an invocation.
  let calls = toCalls(siteUrl ?? "https://localhost");
  let permit = createTickPermit("context", undefined, deployContexts);
  let deadline: number | null = null;
  let tickCount = 0;
  const note = createWakeNote(blobs === undefined ? null : toNoteStore(blobs), { now });
  const call = async (kind: keyof typeof calls): Promise<void> => {
    if (permit.refusedPlace !== null) return;
    if (siteUrl === undefined) throw new WorkflowError("WAKE_FAILED", "siteUrl is not known");
    await calls[kind]();
  };
  return {
    routes: { work, hold },
    looksAhead,
    now,
    note,
    ...createDeferrals(),
    deadline: () => deadline,
    wakeIn: async (_delayMs, { reason }) => {
      // Nothing on Netlify wakes at an instant; the schedule asks each minute. A tick has already noted the next time itself.
      if (reason !== "wake") await note.open();
    },
    wakeNow: async ({ reason }) => {
      await note.open();
      // A running tick learns of it. Only what that leaves needs another invocation.
      if (tickCount === 0 || reason === "more") await call("work");
    },
    beginHolder: () => call("hold"),
    begin: ({ deploy, site }, limitMs) => {
      deadline = now() + limitMs;
      permit = createTickPermit("context", deploy?.context, deployContexts);
      if (siteUrl !== undefined || site?.url === undefined) return;
      siteUrl = site.url;
      calls = toCalls(siteUrl);
    },
    whileTicking: async (tick) => {
      tickCount += 1;
      try {
        return await tick();
      } finally {
        tickCount -= 1;
      }
    },
    assertMayTick: () => permit.assertMayTick(),
  };
}
