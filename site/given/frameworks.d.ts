/** What the frameworks give the files that `docs/guides/frameworks.md` shows. Against the real ones they are built in runtime-tests. */
declare module "@sveltejs/kit" {
  export type RequestHandler = (event: { readonly request: Request }) => Promise<Response>;
}

declare module "@sveltejs/kit/hooks" {
  export type ServerInit = () => Promise<void>;
}

declare module "astro" {
  export type APIRoute = (context: { readonly request: Request }) => Promise<Response>;
}

declare module "react-router" {
  export interface ActionFunctionArgs {
    readonly request: Request;
  }
}

declare module "@react-router/dev/routes" {
  export type RouteConfig = readonly object[];
  export function route(path: string, file: string): object;
}

/** Nuxt's server imports them by itself. */
declare function defineEventHandler(handler: (event: object) => Promise<Response>): unknown;
declare function toWebRequest(event: object): Request;
declare function defineNitroPlugin(plugin: () => Promise<void>): unknown;
