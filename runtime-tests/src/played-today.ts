/** Which of what takes a minute in a vendor's own tool has its turn: two of four each day. */
import { ofToday } from "@escapement-internal/test-servers";

type Played = "vercel dev" | "Next.js on Vercel" | "Netlify's emulator" | "the platforms' examples";

const TODAY: readonly Played[] = ofToday<Played>(
  ["vercel dev", "Netlify's emulator", "Next.js on Vercel", "the platforms' examples"],
  2,
);

export const isPlayedToday = (what: Played): boolean => TODAY.includes(what);
