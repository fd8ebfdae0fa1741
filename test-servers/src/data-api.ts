/**
 * An HTTP endpoint in front of PostgreSQL that speaks as Amazon's RDS Data API does to `@aws-sdk/client-rds-data`, for calls of
 * `ExecuteStatement` outside a transaction.
 *
 * After the SDK's model (3.1143) and the Aurora User Guide (data-api.limitations, data-api.troubleshooting), read 2026-11:
 * `POST /Execute`; errors by the header `x-amzn-ErrorType`; one statement, of 65 536 characters; a request of 4 MiB, a row of
 * 64 KB, an answer of 1 MiB, as JSON of 10 MB. What is assumed: text is bound as `text`, and whatever follows a colon is a
 * parameter's name, wherever it stands.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import pg from "pg";

export interface DataApiServer {
  /** For `new RDSData({ endpoint })`. */
  readonly endpoint: string;
  /** The next so many calls are refused with this error, before anything runs. */
  refuse(name: string, status: number, times: number): void;
  stop(): Promise<void>;
}

const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
const MAX_SQL_LENGTH = 65_536;
const MAX_ROW_BYTES = 64 * 1024;
const MAX_JSON_BYTES = 10 * 1024 * 1024;

interface Refusal {
  readonly name: string;
  readonly status: number;
  readonly message: string;
}

interface ExecuteInput {
  readonly database: string;
  readonly sql: string;
  readonly parameters?: readonly { name: string; value: { stringValue: string } }[];
  readonly formatRecordsAs?: "JSON" | "NONE";
}

/** Starts the endpoint on a free port of 127.0.0.1, in this process. */
export async function startDataApi(postgresUrl: string): Promise<DataApiServer> {
  const pool = new pg.Pool({ connectionString: postgresUrl, max: 20 });
  pool.on("error", () => undefined);
  const refusals: Refusal[] = [];
  const server = createServer((request, response) => {
    answer(pool, refusals, request, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse(name, status, times) {
      for (let time = 0; time < times; time += 1) refusals.push({ name, status, message: name });
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await pool.end();
    },
  };
}

async function answer(
  pool: pg.Pool,
  refusals: Refusal[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readText(request);
  const refusal = refusals.shift();
  const outcome =
    refusal ??
    (request.url === "/Execute"
      ? await execute(pool, body).catch(describe)
      : badRequest(`${request.url} is not spoken here`));
  if ("name" in outcome) {
    response.writeHead(outcome.status, { "x-amzn-ErrorType": outcome.name });
    response.end(JSON.stringify({ message: outcome.message }));
  } else response.end(JSON.stringify(outcome));
}

const badRequest = (message: string): Refusal => ({
  name: "BadRequestException",
  status: 400,
  message,
});

const TEXT_OID = 25;

async function execute(
  pool: pg.Pool,
  body: string,
): Promise<Refusal | { formattedRecords: string }> {
  const { sql, parameters = [], formatRecordsAs } = JSON.parse(body) as ExecuteInput;
  if (Buffer.byteLength(body) > MAX_REQUEST_BYTES) return badRequest("Request is too large");
  if (sql.length > MAX_SQL_LENGTH) return badRequest("sql failed to satisfy constraint");
  const names = parameters.map(({ name }) => name);
  const missing = [...sql.matchAll(NAME)].find(([, name = ""]) => !names.includes(name));
  if (missing !== undefined) return badRequest(`Cannot find parameter: ${missing[1]}`);
  const { rows } = await pool.query<object>({
    text: sql.replaceAll(NAME, (_, name: string) => `$${names.indexOf(name) + 1}`),
    values: parameters.map(({ value }) => value.stringValue),
    // `pg` sends what is listed here as the parameters' types, and asks the same object how to read values.
    types: Object.assign(
      parameters.map(() => TEXT_OID),
      { getTypeParser: () => (text: string) => text },
    ),
  });
  if (rows.some((row) => Buffer.byteLength(JSON.stringify(Object.values(row))) > MAX_ROW_BYTES)) {
    return badRequest("Packet for query is too large");
  }
  const records = JSON.stringify(rows);
  if (formatRecordsAs === "JSON" && Buffer.byteLength(records) <= MAX_JSON_BYTES) {
    return { formattedRecords: records };
  }
  return badRequest("Database returned more than the allowed response size limit");
}

const NAME = /(?<!:):([A-Za-z]\w*)/g;

function describe(error: unknown): Refusal {
  if (!(error instanceof pg.DatabaseError)) {
    return { name: "DatabaseUnavailableException", status: 504, message: String(error) };
  }
  const { severity, message, detail, hint, position, code } = error;
  const parts = [
    `${severity}: ${message}${detail === undefined ? "" : `\n  Detail: ${detail}`}`,
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(position === undefined ? [] : [`Position: ${position}`]),
    `SQLState: ${code}`,
  ];
  return { name: "DatabaseErrorException", status: 400, message: parts.join("; ") };
}
