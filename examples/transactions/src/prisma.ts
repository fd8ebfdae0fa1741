/** Prisma's client for the table of orders, with the configuration that `prisma generate` 7.10.0 writes for `SCHEMA`. */
import { PrismaPg } from "@prisma/adapter-pg";
import { getPrismaClient, type GetPrismaClientConfig } from "@prisma/client/runtime/client";

const SCHEMA = `generator client {
  provider = "prisma-client"
  output   = "./generated"
}

datasource db {
  provider = "postgresql"
}

model orders {
  id    String @id
  total Int
}
`;

/** The client, as far as it is used here. */
export interface OrdersClient {
  $transaction<T>(work: (tx: OrdersTransaction) => Promise<T>): Promise<T>;
  $disconnect(): Promise<void>;
}

export interface OrdersTransaction {
  $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown>;
  $executeRawUnsafe(text: string, ...values: unknown[]): Promise<number>;
  readonly orders: {
    create(options: {
      readonly data: { readonly id: string; readonly total: number };
    }): Promise<unknown>;
  };
}

export function openPrisma(connectionString: string): OrdersClient {
  const Client = getPrismaClient(CONFIG) as new (options: object) => OrdersClient;
  return new Client({ adapter: new PrismaPg({ connectionString }) });
}

const SCALAR = {
  kind: "scalar",
  isRequired: true,
  isList: false,
  isUnique: false,
  isReadOnly: false,
  hasDefaultValue: false,
} as const;

const MODEL = {
  fields: [
    { ...SCALAR, name: "id", type: "String", isId: true },
    { ...SCALAR, name: "total", type: "Int", isId: false },
  ],
  dbName: null,
  schema: null,
  uniqueFields: [],
  uniqueIndexes: [],
  primaryKey: null,
};

/** Names that the query compiler's graph refers to by number. */
const NAMES =
  "where orders.findUnique orders.findUniqueOrThrow orderBy cursor orders.findFirst orders.findFirstOrThrow orders.findMany data orders.createOne orders.createMany orders.createManyAndReturn orders.updateOne orders.updateMany orders.updateManyAndReturn create update orders.upsertOne orders.deleteOne orders.deleteMany having _count _avg _sum _min _max orders.groupBy orders.aggregate AND OR NOT id total equals in notIn lt lte gt gte not contains startsWith endsWith set increment decrement multiply divide";

const GRAPH =
  "KwsQBRwAACIAMB0AAAQAEB4AACIAMB8BAAAAASACACQAIQEAAAABACABAAAAAQAgBRwAACIAMB0AAAQAEB4AACIAMB8BACMAISACACQAIQADAAAABAAgAwAABQAwBAAAAQAgAwAAAAQAIAMAAAUAMAQAAAEAIAMAAAAEACADAAAFADAEAAABACACHwEAAAABIAIAAAABAQgAAAkAIAIfAQAAAAEgAgAAAAEBCAAACwAwAQgAAAsAMAIfAQAqACEgAgArACECAAAAAQAgCAAADgAgAh8BACoAISACACsAIQIAAAAEACAIAAAQACACAAAABAAgCAAAEAAgAwAAAAEAIA8AAAkAIBAAAA4AIAEAAAABACABAAAABAAgBRUAACUAIBYAACYAIBcAACkAIBgAACgAIBkAACcAIAUcAAAaADAdAAAXABAeAAAaADAfAQAbACEgAgAcACEDAAAABAAgAwAAFgAwFAAAFwAgAwAAAAQAIAMAAAUAMAQAAAEAIAUcAAAaADAdAAAXABAeAAAaADAfAQAbACEgAgAcACEOFQAAHgAgGAAAIQAgGQAAIQAgIQEAAAABIgEAAAAEIwEAAAAEJAEAAAABJQEAAAABJgEAAAABJwEAAAABKAEAIAAhKQEAAAABKgEAAAABKwEAAAABDRUAAB4AIBYAAB8AIBcAAB4AIBgAAB4AIBkAAB4AICECAAAAASICAAAABCMCAAAABCQCAAAAASUCAAAAASYCAAAAAScCAAAAASgCAB0AIQ0VAAAeACAWAAAfACAXAAAeACAYAAAeACAZAAAeACAhAgAAAAEiAgAAAAQjAgAAAAQkAgAAAAElAgAAAAEmAgAAAAEnAgAAAAEoAgAdACEIIQIAAAABIgIAAAAEIwIAAAAEJAIAAAABJQIAAAABJgIAAAABJwIAAAABKAIAHgAhCCEIAAAAASIIAAAABCMIAAAABCQIAAAAASUIAAAAASYIAAAAAScIAAAAASgIAB8AIQ4VAAAeACAYAAAhACAZAAAhACAhAQAAAAEiAQAAAAQjAQAAAAQkAQAAAAElAQAAAAEmAQAAAAEnAQAAAAEoAQAgACEpAQAAAAEqAQAAAAErAQAAAAELIQEAAAABIgEAAAAEIwEAAAAEJAEAAAABJQEAAAABJgEAAAABJwEAAAABKAEAIQAhKQEAAAABKgEAAAABKwEAAAABBRwAACIAMB0AAAQAEB4AACIAMB8BACMAISACACQAIQshAQAAAAEiAQAAAAQjAQAAAAQkAQAAAAElAQAAAAEmAQAAAAEnAQAAAAEoAQAhACEpAQAAAAEqAQAAAAErAQAAAAEIIQIAAAABIgIAAAAEIwIAAAAEJAIAAAABJQIAAAABJgIAAAABJwIAAAABKAIAHgAhAAAAAAABLAEAAAABBSwCAAAAAS0CAAAAAS4CAAAAAS8CAAAAATACAAAAAQAAAAAFFQAGFgAHFwAIGAAJGQAKAAAAAAAFFQAGFgAHFwAIGAAJGQAKAQIBAgMBBQYBBgcBBwgBCQoBCgwCCw0DDA8BDRECDhIEERMBEhQBExUCGhgFGxkL";

const CONFIG: GetPrismaClientConfig = {
  previewFeatures: [],
  clientVersion: "7.10.0",
  engineVersion: "0edf323efd1d98336f3f0a68684b56f689b900d3",
  activeProvider: "postgresql",
  inlineSchema: SCHEMA,
  runtimeDataModel: { models: { orders: MODEL }, enums: {}, types: {} },
  parameterizationSchema: { strings: NAMES.split(" "), graph: GRAPH },
  compilerWasm: {
    getRuntime: () => import("@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs"),
    getQueryCompilerWasmModule: async () => {
      const { wasm } =
        await import("@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs");
      return WebAssembly.compile(Buffer.from(wasm, "base64"));
    },
    importName: "./query_compiler_fast_bg.js",
  },
};
