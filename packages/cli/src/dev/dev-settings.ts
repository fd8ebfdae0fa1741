/** The file to run, and where. */
export interface DevSettings {
  readonly file: string;
  /** null: any free port. */
  readonly port: number | null;
  /** Like `--db`; a missing file is created. */
  readonly db: string;
  readonly token: string | undefined;
  readonly timeout: number;
}
