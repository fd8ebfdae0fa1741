/** Refuses text with more than one statement, of which SQLite's drivers would run the first and drop the others without a word. */
import { DatabaseError } from "../errors.ts";

// As in `placeholders.ts`, without the parameters: every store on SQLite loads this.
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\//g;
/** A trigger's body has semicolons of its own. */
const TRIGGER = /^\s*create\s+(?:temp(?:orary)?\s+)?trigger\b/i;

/** @throws {DatabaseError} DATABASE_REJECTED */
export function assertOneStatement(text: string): void {
  if (!text.includes(";")) return;
  const bare = text.replace(QUOTED, " ");
  if (!/;\s*[^\s;]/.test(bare) || TRIGGER.test(bare)) return;
  throw new DatabaseError(
    "DATABASE_REJECTED",
    "the text has more than one statement: give each statement separately",
  );
}
