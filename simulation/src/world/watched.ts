/** What a watcher of the calls to the store works with: rows as each call has left them, the true time, and the books it reports to. */
import type { Scheduler } from "../scheduler.ts";
import type { Books } from "./books.ts";
import type { Store } from "./engine-types.ts";
import type { Subject } from "./subject.ts";

export interface Watched {
  readonly subject: WatchedSubject;
  readonly books: Books;
  readonly scheduler: Pick<Scheduler, "now">;
}

/** The store under test as it may be read between two calls. */
export interface WatchedSubject extends Pick<Subject, "isQuick"> {
  readonly store: Pick<Store, "loadInstance" | "loadHistory">;
}
