/**
 * A site in Netlify's emulator, behind an address of its own. Arguments: the emulator's main module, the site's folder,
 * the port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pathToFileURL } from "node:url";

interface NetlifyDev {
  start(): Promise<unknown>;
  handleAndIntrospectNodeRequest(
    request: IncomingMessage,
  ): Promise<{ readonly response: Response } | undefined>;
}

const [emulator = "", projectRoot = "", port = ""] = process.argv.slice(2);
const { NetlifyDev } = (await import(pathToFileURL(emulator).href)) as {
  readonly NetlifyDev: new (options: object) => NetlifyDev;
};

// Functions and nothing else: the others ask services of Netlify's or start databases.
const OTHERS = [
  "aiGateway",
  "blobs",
  "database",
  "edgeFunctions",
  "environmentVariables",
  "geolocation",
  "headers",
  "images",
  "redirects",
  "staticFiles",
];
const site = new NetlifyDev({
  projectRoot,
  skipGitignore: true,
  ...Object.fromEntries(OTHERS.map((feature) => [feature, { enabled: false }])),
});

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const handled = site.handleAndIntrospectNodeRequest(incoming);
  // As on Netlify; the emulator answers when the function has ended.
  if (incoming.url?.endsWith("-background") === true) outgoing.writeHead(202).end();
  const { response = new Response(null, { status: 404 }) } = (await handled) ?? {};
  if (outgoing.writableEnded) return;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

await site.start();
const server = createServer((incoming, outgoing) => {
  answer(incoming, outgoing).catch((error: unknown) => {
    console.error(error);
    if (!outgoing.headersSent) outgoing.writeHead(500);
    outgoing.end();
  });
});
server.listen(Number(port), "127.0.0.1", () => console.log(`listening http://127.0.0.1:${port}`));
