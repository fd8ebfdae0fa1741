/** Runs Netlify's local emulator over a folder with functions: what `netlify dev` does, without its command line. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

interface NetlifyDev {
  start(): Promise<unknown>;
  handle(request: Request): Promise<Response | undefined>;
}

interface NetlifyDevModule {
  readonly NetlifyDev: new (options: object) => NetlifyDev;
}

const [modulePath = "", projectRoot = "", port = "0"] = process.argv.slice(2);
const { NetlifyDev } = (await import(modulePath)) as NetlifyDevModule;
const off = { enabled: false };
const dev = new NetlifyDev({
  projectRoot,
  functions: { enabled: true },
  blobs: off,
  database: off,
  edgeFunctions: off,
  environmentVariables: off,
  geolocation: off,
  images: off,
  aiGateway: off,
});
await dev.start();
const server = createServer((request, response) => void answer(request, response));
server.listen(Number(port), "127.0.0.1", () => console.log(`listening http://127.0.0.1:${port}`));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = `http://127.0.0.1:${port}${request.url ?? "/"}`;
  const { method = "GET" } = request;
  const body = method === "GET" ? {} : { body: Buffer.concat(chunks) };
  const headers = request.headers as Record<string, string>;
  const handled = dev.handle(new Request(url, { method, headers, ...body }));
  // As on Netlify; the emulator answers when the function has ended.
  if (url.endsWith("-background")) response.writeHead(202).end();
  const answered = await handled;
  if (response.writableEnded) return;
  response.writeHead(answered?.status ?? 404);
  response.end(Buffer.from((await answered?.arrayBuffer()) ?? new ArrayBuffer(0)));
}
