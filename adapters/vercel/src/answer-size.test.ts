/** No answer is larger than Vercel allows, however large the stored values are. */
import { describeAnswerLimit } from "@escapement/adapter-contract";
import { createVercelPlatform, handler } from "./index.ts";

describeAnswerLimit({
  name: "Vercel",
  // Decimal megabytes, to be safe. vercel.com/docs/functions/limitations, 2026-06-19.
  maxBytes: 4_500_000,
  handle: (engine) => handler(engine, { platform: createVercelPlatform() }),
});
