import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";

const { HOST, PORT = "3000" } = process.env;

export default defineConfig({
  plugins: [sveltekit({ adapter: adapter() })],
  server: { host: HOST, port: Number(PORT), strictPort: true },
});
