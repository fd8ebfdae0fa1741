/** What the page was made with. */

const root = document.querySelector<HTMLElement>("#app");
if (root === null) throw new RangeError("the page has no place for the dashboard");

export const ROOT: HTMLElement = root;
export const PATH: string = root.dataset["path"] ?? "";
const allowed = new Set((root.dataset["allow"] ?? "").split(" "));

/** Whether the dashboard's options allow it. The server asks again. */
export const isAllowed = (verb: "steer" | "events" | "payloads"): boolean => allowed.has(verb);
