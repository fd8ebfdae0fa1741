/** Serves the built site as a host of static files does: `/rules` is `rules.html`. */
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
};

/** A server of 127.0.0.1. */
export interface FolderServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Starts serving a folder on a free port. */
export async function serveFolder(folder: string): Promise<FolderServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    const file = findFile(folder, normalize(decodeURIComponent(pathname)));
    void readFile(file ?? join(folder, "404.html")).then((text) => {
      response.writeHead(file === undefined ? 404 : 200, {
        "content-type": TYPES[extname(file ?? ".html")] ?? "application/octet-stream",
      });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close };
}

function findFile(folder: string, path: string): string | undefined {
  const wanted = join(folder, path);
  const candidates = [wanted, `${wanted}.html`, join(wanted, "index.html")];
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
}
