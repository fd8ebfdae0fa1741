/** No answer is larger than Netlify allows, however large the stored values are. */
import { describeAnswerLimit } from "@escapement/adapter-contract";
import { createNetlifyPlatform, handler } from "./index.ts";

describeAnswerLimit({
  name: "Netlify",
  // Decimal megabytes, to be safe. netlify/context-and-tools, skills/netlify-functions, 2026-08-12: 6 MB, and 4.5 MB of
  // binary data.
  maxBytes: 4_500_000,
  handle: (engine) => {
    const platform = createNetlifyPlatform({
      signingKeys: ["background-key-of-more-than-24-bytes"],
    });
    const take = handler(engine, { platform });
    return (request) => take(request, { waitUntil: () => undefined });
  },
});
