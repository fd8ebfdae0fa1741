/** The dashboard in the browser: its frame, and the page that the address names. */
import { type JSX, render } from "preact";
import { useEffect } from "preact/hooks";
import { Callbacks } from "./callbacks.tsx";
import { Diff } from "./diff.tsx";
import { Instance } from "./instance.tsx";
import { Instances } from "./instances.tsx";
import { Job, Jobs } from "./jobs.tsx";
import { Keys, KeysButton } from "./keys.tsx";
import { Link, place } from "./location.tsx";
import { Overview } from "./overview.tsx";
import { isLive } from "./poll.ts";
import { Runners } from "./runners.tsx";
import { hasBulk, isReadOnly, ROOT } from "./settings.ts";
import { Search, SearchBox } from "./search.tsx";
import { Topics } from "./topics.tsx";
import { Workflow } from "./workflow.tsx";
import { Workflows } from "./workflows.tsx";

const NAVIGATION = [
  ["/", "Overview"],
  ["/instances", "Instances"],
  ["/workflows", "Workflows"],
  ["/topics", "Topics"],
  ["/callbacks", "Callbacks"],
  ["/runners", "Runners"],
  ...(hasBulk ? [["/jobs", "Jobs"] as const] : []),
] as const;

function App(): JSX.Element {
  const { path } = place.value;
  const { title, page } = findPage(path);
  useEffect(() => {
    document.title = `${title} · Escapement`;
  }, [title, path]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <Link to="/" class="brand">
          <Mark /> <span>Escapement</span>
        </Link>
        <nav aria-label="Pages">
          {NAVIGATION.map(([to, name]) => (
            <Link key={to} to={to} current={to === "/" ? path === to : path.startsWith(to)}>
              {name}
            </Link>
          ))}
        </nav>
        <SearchBox />
        {isReadOnly ? <span class="mode">read-only</span> : null}
        <button
          type="button"
          class={`live${isLive.value ? " is-on" : ""}`}
          title={
            isLive.value ? "Pages refresh by themselves: pause" : "Pages do not refresh: continue"
          }
          onClick={() => (isLive.value = !isLive.value)}
        >
          {isLive.value ? "Live" : "Paused"}
        </button>
        <KeysButton />
      </header>
      <main id="main" tabIndex={-1}>
        {page}
      </main>
      <Keys pages={NAVIGATION} />
    </>
  );
}

/** The pages whose address has no parameters. */
const PAGES: Readonly<Partial<Record<string, readonly [title: string, page: () => JSX.Element]>>> =
  {
    "/": ["Overview", () => <Overview />],
    "/search": ["Search", () => <Search />],
    "/instances": ["Instances", () => <Instances />],
    "/workflows": ["Workflows", () => <Workflows />],
    "/topics": ["Topics", () => <Topics />],
    "/callbacks": ["Callbacks", () => <Callbacks />],
    "/runners": ["Runners", () => <Runners />],
    ...(hasBulk && { "/jobs": ["Jobs", () => <Jobs />] as const }),
  };

function findPage(path: string): { readonly title: string; readonly page: JSX.Element } {
  const own = PAGES[path === "/" ? path : path.replace(/\/$/, "")];
  if (own !== undefined) return { title: own[0], page: own[1]() };
  const [, page = "", first = "", second = ""] =
    /^\/(workflows|diff|instances|jobs)\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const [name, id] = [decode(first), decode(second)];
  if (page === "workflows" && name && !id)
    return { title: name, page: <Workflow key={path} name={name} /> };
  if (hasBulk && page === "jobs" && name && !id)
    return { title: "Job", page: <Job key={path} id={name} /> };
  if (page === "diff" && name && !id)
    return { title: "Compare", page: <Diff workflowName={name} /> };
  if (page === "instances" && name && id)
    return { title: id, page: <Instance key={path} workflowName={name} id={id} /> };
  return { title: "Not found", page: <NoPage /> };
}

const NoPage = (): JSX.Element => (
  <>
    <h1>There is no such page</h1>
    <p class="empty">
      Search for the beginning of an id, or begin with the <Link to="/">overview</Link>.
    </p>
  </>
);

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
