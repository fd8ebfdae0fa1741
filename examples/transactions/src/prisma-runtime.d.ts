/** Parts of Prisma's runtime that generated clients load, and that come without types. */
declare module "@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs" {
  import type { GetPrismaClientConfig } from "@prisma/client/runtime/client";
  type Compiler = NonNullable<GetPrismaClientConfig["compilerWasm"]>;
  const compiler: Awaited<ReturnType<Compiler["getRuntime"]>>;
  export = compiler;
}

declare module "@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs" {
  export const wasm: string;
}
