import { fileURLToPath } from 'node:url'
import { productionEnv, type ServerProcess, startServer } from '../processes.ts'

/** Starts the product: `program` is its main module, `databaseUrl` the value of DATABASE_URL. */
export function startProduct(
  program: string,
  databaseUrl: string,
  cleanUp: AsyncDisposableStack,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startServer(program, { env: productionEnv({ ...env, DATABASE_URL: databaseUrl }), cleanUp })
}

/** Starts Fastify, which verifies the HMAC of a webhook, and writes the rows that the product writes to this SQLite file. */
export function startRowsPeer(path: string, cleanUp: AsyncDisposableStack): Promise<ServerProcess> {
  const module = fileURLToPath(new URL('./rows-peer.ts', import.meta.url))
  return startServer(module, { env: { NODE_ENV: 'production', DATABASE: path }, cleanUp })
}

/** Starts Fastify, which only verifies the HMAC of a webhook. */
export function startPeer(cleanUp: AsyncDisposableStack): Promise<ServerProcess> {
  const module = fileURLToPath(new URL('./hmac-peer.ts', import.meta.url))
  return startServer(module, { env: { NODE_ENV: 'production' }, cleanUp })
}
