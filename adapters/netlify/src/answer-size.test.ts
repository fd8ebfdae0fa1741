/** No answer is larger than Netlify lets out, however large what workflows keep is. */
import { describeAnswerLimit } from "@escapement/adapter-contract";
import { createNetlifyPlatform, handler } from "./index.ts";

describeAnswerLimit({
  name: "Netlify",
  // Decimal megabytes, to be on the safe side. netlify/context-and-tools, skills/netlify-functions, 2026-08-12: 6 MB, and
  // 4.5 MB of what is binary.
  maxBytes: 4_500_000,
  handle: (engine) => {
    const platform = createNetlifyPlatform({
      signingKeys: ["background-key-of-more-than-24-bytes"],
    });
    const take = handler(engine, { platform });
    return (request) => take(request, { waitUntil: () => undefined });
  },
});
