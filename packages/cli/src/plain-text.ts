/**
 * Makes text from elsewhere harmless for a terminal. Ids, errors and payloads are whatever callers sent, and escape sequences in
 * them could move the cursor, rename the window or paste a command.
 */

/**
 * Control characters, including C1 with its one-character CSI; characters that change the direction of text, break lines, or have no
 * width.
 */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Like `UNSAFE`, without the line breaks that JSON has between its values. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

const toEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** One line, in which each unsafe character is shown as `\n` or `\u001b`. */
export const toPlainText = (text: string): string =>
  text.replaceAll(UNSAFE, (character) => SHORT[character] ?? toEscape(character));

/** JSON of a value without unsafe characters; a parser reads the same value. @param indent spaces per level; 0: one line */
export const toPlainJson = (value: unknown, indent: number): string =>
  toPlainLines(JSON.stringify(value, null, indent) ?? "null");

/** The same for existing JSON text. */
export const toPlainLines = (json: string): string => json.replaceAll(UNSAFE_IN_JSON, toEscape);
