/** How long pages are to wait while many are open, so that what they ask stays a small part of what the process does. */

/** Header of an answer: how many times as long as else a page is to wait before it asks again. */
export const WAIT_FACTOR = "x-wait-factor";

/** Answers that are made anew in a second, by all pages of this process, before they are told to wait longer: about 1 ms of a processor each. */
const CALM_BY_SECOND = 15;
const WINDOW_MS = 4000;
/** What a window counts for, beside all before it: pages hear of a change one after another, and would else be told too much, then too little. */
const SHARE = 0.15;
/** Then a page asks as seldom as where nothing changes. */
const MOST = 15;

export interface Pace {
  /** Tells of an answer that is made. */
  readonly count: () => void;
  /** 1: as if the page were the only one. */
  readonly factor: () => number;
}

export function createPace(): Pace {
  let windowAt = Date.now();
  let counted = 0;
  /** Answers a second that pages would ask for if none of them waited longer. */
  let wanted = 0;
  let factor = 1;
  const look = (): void => {
    const passedMs = Date.now() - windowAt;
    if (passedMs < WINDOW_MS) return;
    const share = 1 - (1 - SHARE) ** (passedMs / WINDOW_MS);
    wanted += share * ((counted * 1000 * factor) / passedMs - wanted);
    factor = Math.min(MOST, Math.max(1, wanted / CALM_BY_SECOND));
    [windowAt, counted] = [Date.now(), 0];
  };
  return {
    count: () => {
      look();
      counted += 1;
    },
    factor: () => factor,
  };
}
