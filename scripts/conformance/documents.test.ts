import { describe, expect, test } from "vitest";
import { readProjectFile } from "../project-files.ts";
import { loadNotes, toDocumentTestTitle } from "./rows.ts";

describe("pages", () => {
  for (const [row, note] of Object.entries(loadNotes().documents)) {
    // oxlint-disable-next-line vitest/valid-title -- the title is made from the notes
    test(toDocumentTestTitle(row, note), () => {
      const page = readProjectFile(note.file).replaceAll(/\s+/g, " ");
      for (const text of note.says) expect(page).toContain(text);
    });
  }
});
