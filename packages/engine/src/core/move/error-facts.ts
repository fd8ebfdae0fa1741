/** Facts about the error codes of exports and imports, for people: part of `core/error-facts.ts`. Not loaded at run time. */

/** The meaning of each code and what to do, for the caller. */
export const MOVE_ERROR_FACTS = {
  INSTANCE_NOT_PAUSED: {
    when: "You tried to export an instance that is neither paused nor ended, or one of its children is not, or the run that started it has not ended.",
    fix: "Pause it; details.liveInstanceId is the instance that is still live, and details.status is its status. Export a child together with its parent.",
  },
  INSTANCE_CHANGED: {
    when: "The instance changed during the export or after it: it was resumed, or an event arrived.",
    fix: "Export it again. If you have imported the old export, delete the imported instance first: it lacks what came since.",
  },
  IMPORT_INVALID: {
    when: "The import is not a complete export: a line is damaged, missing or in another format, or contains something that no engine would write.",
    fix: "Export it again; details.line is the line, counted from 1. Nothing of this export was imported. If the export itself is refused, that record is damaged where it is stored.",
  },
} as const;
