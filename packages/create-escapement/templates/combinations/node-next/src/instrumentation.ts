/** Starts what runs the workflows, with the server. */
export async function register(): Promise<void> {
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return;
  const { platform } = await import("./engine.ts");
  platform.start();
}
