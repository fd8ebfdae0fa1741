/** Notices that nothing moves any more. */

export interface StallWatch {
  /** Milliseconds since `facts` were last different. */
  stillMs(facts: unknown): number;
}

/** @param now process clock, in milliseconds */
export function createStallWatch(now: () => number): StallWatch {
  let last = "";
  let changedAt = now();
  return {
    stillMs: (facts) => {
      const text = JSON.stringify(facts);
      if (text !== last) changedAt = now();
      last = text;
      return now() - changedAt;
    },
  };
}
