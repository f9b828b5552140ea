/**
 * A server that refuses every request. The argument selects the server: `ours` is the program's HTTP server with a full queue; `bare` is a
 * plain Node server, which refuses after the same delay and does not read bodies either; `atOnce` is the same without the delay. It sends
 * its address to the parent process when it refuses, and again after each message. A message fills the queue anew, because no request waits
 * for longer than ten seconds.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANONYMOUS } from '../../src/access/caller.ts'
import { GRAPHQL_PATH } from '../../src/http/graphql/graphql-body.ts'
import { createGraphqlEntrance } from '../../src/http/graphql/graphql-entrance.ts'
import { createAddressReader, createPeerReader } from '../../src/http/server/client-caller.ts'
import { problem } from '../../src/http/server/direct-answers.ts'
import { protect } from '../../src/http/server/protection.ts'
import { createHttpServer } from '../../src/http/server/server.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { SHARE_NOTHING } from '../../src/redis/shared-counts.ts'

const HOST = '127.0.0.1'
const BACKLOG = 4_096
const HOLD_MS = 1_000
/** Queue length in an overload with queries of 1.5 ms. */
const WAITING = 350
/** Milliseconds between two requests while the queue is evaluated: it must grow, and requests must have waited for too long. */
const ASK_EVERY_MS = 10

type Fill = () => Promise<AddressInfo | string | null>

async function startOurs(): Promise<Fill> {
  const limits = { trustProxy: [], connectionsPerAddress: 2_000, failedAuthentications: 20, graphqlInFlight: 1 }
  const peers = { addressOf: createAddressReader([]), peerOf: createPeerReader([]) }
  const logger = createLogger({ level: 'silent', destination: process.stdout })
  const server = await createHttpServer({
    settings: { publicUrl: 'https://payments.example', allowedOrigins: [], limits },
    isRouter: () => false,
    isDraining: () => false,
    onTurnedAway: () => {},
    ...peers,
    logger,
  })
  const { http, direct } = server
  const protection = protect(server, {
    limits,
    callerOf: () => ANONYMOUS,
    shareCounts: SHARE_NOTHING,
    isRouter: () => false,
    onTurnedAway: () => {},
    ...peers,
    readOperation: () => ({ kind: 'query', commands: [] }),
    isRecorded: async () => false,
  })
  const { overload } = protection
  createGraphqlEntrance({ direct, protection, trace: () => (answer) => answer(), logger }).add(GRAPHQL_PATH, {
    accepts: () => true,
    maxBytes: () => 100_000,
    turnAway: () => null,
    answer: () => Promise.reject(new Error('Nothing begins here.')),
  })
  await http.listen({ host: HOST, port: 0, backlog: BACKLOG })
  let cancels: ((() => void) | null)[] = []
  return async () => {
    for (const cancel of cancels) cancel?.()
    cancels = []
    const enter = () => {
      const client = { name: `client ${cancels.length}`, group: 'anonymous' } as const
      cancels.push(overload.enter('queries', { client, bytes: 0, start: () => {}, refuse: () => {} }))
    }
    for (let index = 0; index < WAITING; index += 1) enter()
    while (!overload.isFull('queries')) {
      await sleep(ASK_EVERY_MS)
      enter()
    }
    return http.server.address()
  }
}

async function startBare(holdMs: number): Promise<Fill> {
  const body = JSON.stringify(problem(503))
  const headers = { 'content-type': 'application/json', 'content-length': body.length, 'retry-after': '1' }
  const server = createServer((_request, response) => {
    const refuse = () => void response.writeHead(503, headers).end(body)
    if (holdMs === 0) refuse()
    else setTimeout(refuse, holdMs)
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, BACKLOG, resolve))
  return async () => server.address()
}

process.on('disconnect', () => process.exit())
const [, , kind] = process.argv
const fill = await (kind === 'ours' ? startOurs() : startBare(kind === 'bare' ? HOLD_MS : 0))
process.on('message', () => void fill().then((address) => process.send?.(address)))
process.send?.(await fill())
