/** The facts of the codes of exports and imports, for people: part of `core/error-facts.ts`. Not loaded at run time. */

/** What each of them means and what to do, told to who calls. */
export const MOVE_ERROR_FACTS = {
  INSTANCE_NOT_PAUSED: {
    when: "The instance is to be exported, and it goes on, or one of its children does; or the run that started it has not ended.",
    fix: "Pause it; details.liveInstanceId is the one that goes on, and details.status what it does. Export a child with its parent.",
  },
  INSTANCE_CHANGED: {
    when: "The instance was written to while it was exported, or since: it was resumed, or an event came for it.",
    fix: "Export it again. Where its export was imported already, delete what was imported: it lacks what came since.",
  },
  IMPORT_INVALID: {
    when: "What is to be imported is no whole export: a line is damaged, missing or of another format, or says what no engine would write.",
    fix: "Export it again; details.line is the line, from 1. Nothing of the export was imported.",
  },
} as const;
