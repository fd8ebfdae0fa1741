/** The settings that the server put into the page. */

const root = document.querySelector<HTMLElement>("#app");
if (root === null) throw new RangeError("the page has no place for the dashboard");

export const ROOT: HTMLElement = root;
export const PATH: string = root.dataset["path"] ?? "";
/** Whether the engine has bulk jobs. */
export const hasBulk: boolean = root.dataset["bulk"] !== undefined;
const allowed = new Set((root.dataset["allow"] ?? "").split(" "));

/** Whether the dashboard's options allow it. The server checks again. */
export const isAllowed = (verb: "start" | "steer" | "events" | "delete" | "payloads"): boolean =>
  allowed.has(verb);

/** Whether nothing can be changed. */
export const isReadOnly: boolean = !(["start", "steer", "events", "delete"] as const).some(
  isAllowed,
);
