/** The dashboard in the browser: its frame, and the page that the address names. */
import { type JSX, render } from "preact";
import { useEffect } from "preact/hooks";
import { Instance } from "./instance.tsx";
import { Instances } from "./instances.tsx";
import { Link, place } from "./location.tsx";
import { Overview } from "./overview.tsx";
import { isAllowed, ROOT } from "./settings.ts";

function App(): JSX.Element {
  const { path } = place.value;
  const { title, page } = findPage(path);
  useEffect(() => {
    document.title = `${title} · Escapement`;
  }, [title]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <Link to="/" class="brand">
          <Mark /> Escapement
        </Link>
        <nav aria-label="Pages">
          <Link to="/" current={path === "/"}>
            Overview
          </Link>
          <Link to="/instances" current={path.startsWith("/instances")}>
            Instances
          </Link>
        </nav>
        {isAllowed("steer") ? null : <span class="mode">read-only</span>}
      </header>
      <main id="main" tabIndex={-1}>
        {page}
      </main>
    </>
  );
}

function findPage(path: string): { readonly title: string; readonly page: JSX.Element } {
  if (path === "/") return { title: "Overview", page: <Overview /> };
  if (path === "/instances" || path === "/instances/")
    return { title: "Instances", page: <Instances /> };
  const [, workflowName, id] = /^\/instances\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const names = [workflowName, id].map((part) => decode(part ?? ""));
  const [workflow, instance] = names;
  if (workflow && instance)
    return {
      title: instance,
      page: <Instance key={path} workflowName={workflow} id={instance} />,
    };
  return { title: "Not found", page: <h1>There is no such page</h1> };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/** An escape wheel's tooth and pallet. */
function Mark(): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <circle
        cx="12"
        cy="12"
        r="8"
        fill="none"
        stroke="currentColor"
        stroke-width="2.5"
        stroke-dasharray="4.2 2.083"
      />
      <path
        d="M12 12V6M12 12l4 3"
        stroke="currentColor"
        stroke-width="2"
        stroke-linecap="round"
        fill="none"
      />
    </svg>
  );
}

render(<App />, ROOT);
