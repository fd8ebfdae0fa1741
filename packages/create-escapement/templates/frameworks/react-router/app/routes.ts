import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [index("home.tsx"), route("api/workflows/*", "workflows.ts")] satisfies RouteConfig;
