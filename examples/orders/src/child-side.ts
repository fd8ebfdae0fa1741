/** How a child process of the demo talks to the main process, and dies with it. */
import { toDiskTrouble } from "./demo-error.ts";

/** What children tell. */
export type ChildMessage =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "charges"; readonly charges: number; readonly requests: number }
  | { readonly kind: "trouble"; readonly message: string };

/** Environment variable in which a child finds its settings. */
export const SETTINGS_VARIABLE = "ESCAPEMENT_DEMO_SETTINGS";

/** What the main process started this process with. Ends the process with its parent, however that ends. */
export function startedBy(): unknown {
  // Ctrl-C reaches every process of a terminal; the main process decides what follows.
  process.on("SIGINT", () => undefined);
  process.on("disconnect", () => process.exit());
  const settings = process.env[SETTINGS_VARIABLE];
  if (settings === undefined) throw new Error("this program is started by main.ts");
  // The parent may have gone while this process was still loading: then nobody tells us any more.
  if (!process.connected) process.exit();
  return JSON.parse(settings);
}

/** Says nothing when nobody listens any more. */
export function tellParent(message: ChildMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** Tells of a full disk and the like; anything else is left to the caller. @param path what was being written */
export function reportTrouble(error: unknown, path: string): void {
  const message = toDiskTrouble(error, path);
  if (message !== null) tellParent({ kind: "trouble", message });
}
