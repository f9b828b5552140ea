import { DatabaseSync } from 'node:sqlite'
import { createApp } from '../../src/app.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { configFor } from '../support/app-settings.ts'
import type { KillPoint, Life } from './armed-app.ts'

/**
 * The app in a process of its own, started by `armed-app.ts`. After a message from there it kills itself before a commit: it observes the
 * statements that reach the database, and the app's code is unchanged.
 */
const { env, clockAheadMs } = JSON.parse(process.argv[2] ?? '') as Life
let armed: KillPoint | null = null
process.on('message', (point: KillPoint) => {
  armed = point
  process.send?.('armed')
})

type Write = {
  readonly point: KillPoint
  readonly sql: RegExp
  readonly isPoint: (values: readonly unknown[]) => boolean
}

/** Only changed columns are updated, and a refund keeps its result: that a command is settled is told by the value of its state alone. */
const WRITES: readonly Write[] = [
  { point: 'intent', sql: /^INSERT INTO commands /, isPoint: () => true },
  { point: 'outcome', sql: /^UPDATE commands SET /, isPoint: (values) => values.includes('SETTLED') },
]

/** What the open transaction has written. */
const written = new Set<KillPoint>()

const prepare = DatabaseSync.prototype.prepare
DatabaseSync.prototype.prepare = function watched(sql) {
  const statement = prepare.call(this, sql)
  const write = WRITES.find((known) => known.sql.test(sql))
  if (write === undefined) return statement
  statement.run = new Proxy(statement.run, {
    apply(run, self, values) {
      if (write.isPoint(values)) written.add(write.point)
      return Reflect.apply(run, self, values)
    },
  })
  return statement
}

const exec = DatabaseSync.prototype.exec
DatabaseSync.prototype.exec = function watched(sql) {
  if (sql.startsWith('BEGIN')) written.clear()
  if (sql === 'COMMIT' && armed !== null && written.has(armed)) process.kill(process.pid, 'SIGKILL')
  exec.call(this, sql)
}

const app = await createApp(configFor(env), {
  logger: createLogger({ level: 'silent' }),
  clock: () => new Date(Date.now() + clockAheadMs),
})
process.send?.(app.url)
