/**
 * A server that refuses every request, as its argument says: `ours`, the program's HTTP server with more waiting than may, or
 * `bare`, Node's own server, which refuses as late and reads no body either. It sends its address when it refuses, and after each
 * message again: nothing waits for more than ten seconds, so that the queue is filled anew.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANONYMOUS } from '../../src/access/caller.ts'
import { GRAPHQL_PATH } from '../../src/http/graphql/graphql-addresses.ts'
import { createAddressReader } from '../../src/http/server/client-address.ts'
import { problem } from '../../src/http/server/problem.ts'
import { protect } from '../../src/http/server/protection.ts'
import { createHttpServer } from '../../src/http/server/server.ts'
import { createLogger } from '../../src/observability/logger.ts'

const HOST = '127.0.0.1'
const BACKLOG = 4_096
const HOLD_MS = 1_000
/** As many as wait in an overload whose questions take a millisecond and a half. */
const WAITING = 350
/** Until what waits has waited for too long. */
const OVERLOAD_MS = 3_000

type Fill = () => Promise<AddressInfo | string | null>

async function startOurs(): Promise<Fill> {
  const limits = { trustProxy: [], connectionsPerAddress: 2_000, failedAuthentications: 20, graphqlInFlight: 1 }
  const { http } = await createHttpServer({
    settings: { publicUrl: 'https://payments.example', allowedOrigins: [], limits },
    isRouter: () => false,
    isDraining: () => false,
    onTurnedAway: () => {},
    addressOf: createAddressReader([]),
    logger: createLogger({ level: 'silent', destination: process.stdout }),
  })
  const { overload } = protect(http, {
    limits,
    callerOf: () => ANONYMOUS,
    isRouter: () => false,
    onTurnedAway: () => {},
    addressOf: createAddressReader([]),
    readOperation: () => ({ kind: 'query', commands: [] }),
    isRecorded: async () => false,
  })
  http.post(GRAPHQL_PATH, async () => Promise.reject(new Error('Nothing begins here.')))
  await http.listen({ host: HOST, port: 0, backlog: BACKLOG })
  let cancels: ((() => void) | null)[] = []
  return async () => {
    for (const cancel of cancels) cancel?.()
    cancels = Array.from({ length: WAITING }, (_, index) =>
      overload.enter('queries', {
        client: { name: `client ${index}`, weight: 2 },
        bytes: 0,
        start: () => {},
        refuse: () => {},
      }),
    )
    await sleep(OVERLOAD_MS)
    return http.server.address()
  }
}

async function startBare(): Promise<Fill> {
  const body = JSON.stringify(problem(503))
  const headers = { 'content-type': 'application/json', 'content-length': body.length, 'retry-after': '1' }
  const server = createServer((_request, response) => {
    setTimeout(() => response.writeHead(503, headers).end(body), HOLD_MS)
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, BACKLOG, resolve))
  return async () => server.address()
}

process.on('disconnect', () => process.exit())
const fill = await (process.argv[2] === 'bare' ? startBare() : startOurs())
process.on('message', () => void fill().then((address) => process.send?.(address)))
process.send?.(await fill())
