import { createApp } from '../../src/app.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { configFor } from '../support/app-settings.ts'
import type { NodeSettings } from './cluster.ts'

/** The app as one of several nodes, in a process of its own, with a clock that may be wrong. Started by `cluster.ts`. */
const { env, clockAheadMs } = JSON.parse(process.argv[2] ?? '') as NodeSettings

const app = await createApp(configFor(env), {
  logger: createLogger({ level: 'warn' }),
  clock: () => new Date(Date.now() + clockAheadMs),
  // Failed calls of one test must not cause refusals in the next.
  breaker: { least: Infinity },
})
process.send?.(app.url)
