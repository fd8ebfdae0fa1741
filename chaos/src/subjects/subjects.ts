import { openFileSubject } from "./file.ts";
import { openPostgresSubject } from "./postgres.ts";
import { openSqldSubject } from "./sqld.ts";
import type { Subject } from "./subject.ts";

/** Databases that chaos runs on. */
export const SUBJECTS = {
  postgres: openPostgresSubject,
  sqld: openSqldSubject,
  file: openFileSubject,
} as const satisfies Readonly<Record<Subject["name"], () => Promise<Subject>>>;

export type SubjectName = keyof typeof SUBJECTS;
