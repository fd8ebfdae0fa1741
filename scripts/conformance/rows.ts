/** The acceptance rows of this release, what is noted about them by hand, and the tests that name them. */
import { isTestFile, listFiles, readProjectFile } from "../project-files.ts";
import { readTestTitles } from "../test-titles.ts";
import type { Layer } from "./layers.ts";
import { findRowIds } from "./row-ids.ts";

/** One requirement, and the kind of proof that it asks for: `docs/conformance-rows.json`. */
export interface Row {
  readonly says: string;
  readonly proof: Layer;
  /** Why another kind of proof is asked for than the acceptance list proposes. */
  readonly why?: string;
}

/** A row that a page proves: the page exists and has each of the texts. */
export interface DocumentNote {
  readonly file: string;
  readonly says: readonly string[];
}

/** `docs/conformance-notes.json`. */
export interface Notes {
  /** Rows that are not demanded yet, with what is missing. They are shown, and fail nothing. */
  readonly open: Readonly<Record<string, string>>;
  /** Rows that are kept in another way than they are worded, by a decision. */
  readonly differs: Readonly<Record<string, string>>;
  /** Rows that cannot be in this release, with the reason. */
  readonly outside: Readonly<Record<string, string>>;
  readonly documents: Readonly<Record<string, DocumentNote>>;
}

/** A test, or a group of tests, whose name carries a row's id. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** By row id, in the order of the founding documents. */
export function loadRows(): Readonly<Record<string, Row>> {
  return JSON.parse(readProjectFile("docs/conformance-rows.json")) as Record<string, Row>;
}

/** Notes written by hand. */
export function loadNotes(): Notes {
  return JSON.parse(readProjectFile("docs/conformance-notes.json")) as Notes;
}

/** Test that checks the pages of `notes.documents`. Its names are made from the notes, so no file has them. */
export const DOCUMENTS_TEST = "scripts/conformance/documents.test.ts";

/** Name of the test for one row that a page proves. */
export function toDocumentTestTitle(row: string, note: DocumentNote): string {
  return `${row} ${note.file} says what the row asks for`;
}

/** Tests of the repository by row id, read from the sources. Contract suites live in `testing/` folders, that of adapters in its own. */
export function loadTestsByRow(notes: Notes): ReadonlyMap<string, readonly NamedTest[]> {
  const byRow = new Map<string, NamedTest[]>();
  const add = (row: string, test: NamedTest): void => {
    byRow.set(row, [...(byRow.get(row) ?? []), test]);
  };
  for (const file of listFiles(mayNameRows)) {
    for (const { title } of readTestTitles(readProjectFile(file))) {
      for (const row of findRowIds(title)) add(row, { file, title });
    }
  }
  for (const [row, note] of Object.entries(notes.documents)) {
    add(row, { file: DOCUMENTS_TEST, title: toDocumentTestTitle(row, note) });
  }
  return byRow;
}

function mayNameRows(path: string): boolean {
  // The tests of the map itself name rows that they do not prove.
  if (path.startsWith("scripts/conformance/") || path === "scripts/test-titles.test.ts")
    return false;
  return (
    isTestFile(path) ||
    /^(packages\/[^/]+\/src\/testing|adapters\/_contract\/src)\/.*\.ts$/.test(path)
  );
}
