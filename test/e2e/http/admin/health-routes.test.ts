import { expect, it, onTestFinished } from 'vitest'
import { addHealthRoutes } from '../../../../src/http/admin/admin-server.ts'
import { createHttpServer } from '../../../../src/http/server/server.ts'
import { createLogger } from '../../../../src/observability/logger.ts'

it.each([
  ['starting', { isStarting: true }, 503],
  ['draining', { isStarting: true, isDraining: true }, 503],
  ['store unavailable', { isUnavailable: true }, 503],
  ['ok', {}, 200],
] as const)('a process is said to be %s', async (status, state, code) => {
  const {
    isStarting = false,
    isDraining = false,
    isUnavailable = false,
  } = state as Partial<Record<'isStarting' | 'isDraining' | 'isUnavailable', boolean>>
  const limits = { trustProxy: [], connectionsPerAddress: 0, failedAuthentications: 20, graphqlInFlight: 1 }
  const http = createHttpServer({
    settings: { publicUrl: 'https://pay.example.test', allowedOrigins: [], limits },
    isRouter: () => false,
    isDraining: () => isDraining,
    onTurnedAway: () => {},
    addressOf: () => null,
    logger: createLogger({ level: 'silent' }),
  })
  onTestFinished(() => http.close(0))
  addHealthRoutes(http, {
    ping: () => (isUnavailable ? Promise.reject(new Error('The store does not answer.')) : Promise.resolve()),
    isStarting: () => isStarting,
    isDraining: () => isDraining,
  })
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  const ready = await fetch(`${url}/health/ready`)
  expect([ready.status, await ready.json()]).toEqual([code, { status }])
  const live = await fetch(`${url}/health/live`)
  expect([live.status, await live.json()]).toEqual([200, { status: 'ok' }])
})
