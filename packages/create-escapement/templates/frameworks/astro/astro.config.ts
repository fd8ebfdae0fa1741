import node from "@astrojs/node";
import { defineConfig } from "astro/config";

const { HOST = "127.0.0.1", PORT = "3000" } = process.env;

export default defineConfig({
  output: "server",
  adapter: node({ mode: "standalone" }),
  server: { host: HOST, port: Number(PORT) },
});
