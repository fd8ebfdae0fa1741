/** How long pages wait while many are open, so that their requests stay a small part of the process's work. */

/** A header of answers: how many times as long as usual a page is to wait before it asks again. */
export const WAIT_FACTOR = "x-wait-factor";

/**
 * How many new answers per second all pages of this process may cause before they are told to wait longer: about 1 ms of processor
 * time each.
 */
const CALM_BY_SECOND = 15;
const WINDOW_MS = 4000;
/**
 * The weight of a window against all earlier ones. Pages learn of a change one after another, so reacting faster would swing between too
 * much and too little.
 */
const SHARE = 0.15;
/** At this factor, a page asks as rarely as if nothing changed. */
const MOST = 15;

export interface Pace {
  /** Counts an answer that is created. */
  readonly count: () => void;
  /** 1: as if the page were the only one. */
  readonly factor: () => number;
}

export function createPace(): Pace {
  let windowAt = Date.now();
  let counted = 0;
  /** How many answers per second pages would ask for if none waited longer. */
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
