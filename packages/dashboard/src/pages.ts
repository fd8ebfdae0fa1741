/** The page, and the code and styles that it loads. */
import { late, refuseUnmatched } from "@escapement/engine/http/internal";
import type { Settings } from "./options.ts";

interface Assets {
  readonly ASSETS: Readonly<Record<string, string>>;
}

const loadAssets = late<Assets>(() => import("./generated-assets.ts"));

/** The page, the same for each address below the path. Its policy allows its own code and styles, by a nonce, and nothing else. */
export async function answerPage(
  { path, allow }: Settings,
  { hasBulk }: { readonly hasBulk: boolean },
): Promise<Response> {
  const { ASSETS } = await loadAssets();
  const nonce = createNonce();
  const [script = "", style = ""] = ["js", "css"].map((kind) =>
    Object.keys(ASSETS).find((name) => name.endsWith(`.${kind}`)),
  );
  // The path contains only plain segments and the permissions are ours, so neither can end an attribute.
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Escapement</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" nonce="${nonce}" href="${path}/assets/${style}">
<script type="module" nonce="${nonce}" src="${path}/assets/${script}"></script>
</head>
<body><div id="app" data-path="${path}" data-allow="${[...allow].join(" ")}"${hasBulk ? " data-bulk" : ""}><noscript>The dashboard needs JavaScript.</noscript></div></body>
</html>
`;
  return new Response(html, {
    headers: {
      ...SAFE_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": toPolicy(nonce),
    },
  });
}

/** One of the files; its name changes with its content. */
export async function answerAsset(request: Request, name: string): Promise<Response> {
  const { ASSETS } = await loadAssets();
  const text = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
  if (text === undefined) return refuseUnmatched([]);
  const etag = `"${name}"`;
  const headers = {
    ...SAFE_HEADERS,
    etag,
    "cache-control": "private, max-age=31536000, immutable",
    "content-type": `${name.endsWith(".js") ? "text/javascript" : "text/css"}; charset=utf-8`,
  };
  if (request.headers.get("if-none-match") === etag)
    return new Response(null, { status: 304, headers });
  return new Response(text, { headers });
}

const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const toPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");

function createNonce(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18))));
}
