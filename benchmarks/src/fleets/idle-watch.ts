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
  /** Most at once. @param longerThanMs only those that have been idle for longer count */
  peak(longerThanMs: number): number;
}

export function createIdleWatch(now: () => number): IdleWatch {
  const spans: Span[] = [];
  return {
    enter: () => {
      let [bodies, idleSince, isAlive] = [0, now(), true];
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
