import type { NextConfig } from "next";

// Loaded from node_modules, where the engine finds the database's driver.
export default { serverExternalPackages: ["@escapement/engine"] } satisfies NextConfig;
