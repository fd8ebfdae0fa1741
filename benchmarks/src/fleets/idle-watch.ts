/** How many invocations are alive that run no body. What lasts no time at all is not seen. */

interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Watched {
  /** A body of it begins. @returns ends it */
  body(): () => void;
  leave(): void;
}

export interface IdleWatch {
  enter(): Watched;
  /** How many invocations there have been. */
  entered(): number;
  /** How long the longest of those that have ended was alive. */
  longestMs(): number;
  /** Most at once. @param longerThanMs only those that have been idle for longer count */
  peak(longerThanMs: number): number;
}

export function createIdleWatch(now: () => number): IdleWatch {
  const spans: Span[] = [];
  let [entered, longestMs] = [0, 0];
  return {
    entered: () => entered,
    longestMs: () => longestMs,
    enter: () => {
      entered += 1;
      const enteredAt = now();
      let [bodies, idleSince, isAlive] = [0, enteredAt, true];
      const end = (): void => void spans.push({ from: idleSince, to: now() });
      return {
        body: () => {
          if (bodies === 0 && isAlive) end();
          bodies += 1;
          return () => {
            bodies -= 1;
            if (bodies === 0) idleSince = now();
          };
        },
        leave: () => {
          if (bodies === 0 && isAlive) end();
          longestMs = Math.max(longestMs, now() - enteredAt);
          isAlive = false;
        },
      };
    },
    peak: (longerThanMs) => {
      const moves = spans.flatMap(({ from, to }) =>
        to - from > longerThanMs
          ? [
              { at: from + longerThanMs, by: 1 },
              { at: to, by: -1 },
            ]
          : [],
      );
      // At one instant those that end make room first.
      moves.sort((one, other) => one.at - other.at || one.by - other.by);
      let [level, most] = [0, 0];
      for (const { by } of moves) {
        level += by;
        most = Math.max(most, level);
      }
      return most;
    },
  };
}
