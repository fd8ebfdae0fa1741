/** Starts what runs the workflows, with the server, and stops it after the server. */
import type { ServerInit } from "@sveltejs/kit/hooks";

export const init: ServerInit = async () => {
  const { platform } = await import("./engine.ts");
  const running = platform.start();
  // The process ends when nothing is left to do.
  process.once("sveltekit:shutdown", () => void running.stop());
};
