import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import {
  createIdempotentCommands,
  type KeyHolder,
  type IdempotentCommands,
  type IdempotencyOptions,
} from '../../../../src/commands/idempotency/idempotent-command.ts'
import type { Task } from '../../../../src/commands/idempotency/task.ts'
import type { Store } from '../../../../src/ledger/store.ts'
import { createLogger } from '../../../../src/observability/logger.ts'
import { unknownOutcome, UpstreamFault } from '../../../../src/upstream/upstream-fault.ts'
import { ringOf } from '../../../unit/keys/rings.ts'
import { commandKey, KEY_SCOPE, link, NOW } from '../../contract/builders.ts'
import { openSqliteFixture } from '../../contract/sqlite-fixture.ts'

export const LEASE_MS = 30_000
export const REFUSED = new UpstreamFault({
  kind: 'refused',
  httpStatus: 422,
  code: 'invalid',
  message: null,
  fields: [{ path: 'amount', message: 'is too small' }],
})
export const REJECTION = {
  kind: 'upstream-rejected',
  httpStatus: 422,
  upstreamCode: 'invalid',
  problems: [{ path: ['amount'], message: 'is too small' }],
}

/** The caller of the fixture's commands. */
const HOLDER: KeyHolder = { keyScope: KEY_SCOPE }

/** A command whose answer and result are the id of the created link at the payments API. */
export type LinkTask = Task<string, string>

export type Fixture = {
  readonly store: Store
  readonly once: IdempotentCommands
  /** Ends the process of `once`. */
  endProcess(): Promise<void>
  /** Correlation ids of the attempts that were sent to the payments API. */
  readonly sent: string[]
  now: Date
  /** Answers of the payments API to the next attempts. Without one, it creates a link. */
  answers: (() => Promise<string>)[]
  /** Returns the link id that a lookup at the payments API finds for an attempt; null if there is none. */
  trace: (ref: string) => Promise<string | null>
  task(over?: Partial<LinkTask>): LinkTask
  /** Creates the commands of another process on the same database. */
  neighbour(over?: Partial<IdempotencyOptions>): IdempotentCommands
  /** Creates the commands of another caller in the same process. */
  another(holder: KeyHolder): IdempotentCommands
  recorded(key?: string): ReturnType<Store['commands']['find']>
}

export async function setUp(over: Partial<IdempotencyOptions> = {}): Promise<Fixture> {
  const { store, destroy } = await openSqliteFixture()
  onTestFinished(destroy)
  const sent: string[] = []
  const everybody = (options: Partial<IdempotencyOptions>) =>
    createIdempotentCommands({
      commands: store.commands,
      keys: ringOf('a'),
      logger: createLogger({ level: 'silent' }),
      clock: () => fixture.now,
      owner: randomUUID(),
      newId: randomUUID,
      assertWritable: async () => {},
      traceparent: () => null,
      onEnded: () => {},
      newCorrelationId: () => `ref-${randomUUID()}`,
      ...options,
    })
  const commands = everybody(over)
  const fixture: Fixture = {
    store,
    once: commands.of(HOLDER),
    endProcess: commands.close,
    sent,
    now: NOW,
    answers: [],
    trace: async () => null,
    task: (parts = {}) => ({
      mutation: 'createPaymentLink',
      key: 'key-1',
      input: { amount: '10.00' },
      site: 'au',
      refKind: 'link',
      repeatAfterMs: null,
      send: async (ref) => {
        sent.push(ref)
        return fixture.answers.shift()?.() ?? `LINK-${ref}`
      },
      settle: async ({ id, ref }, answer) => {
        await store.commands.settleWithLink(id, link(ref, { id: answer }), fixture.now)
        return answer
      },
      replay: async ({ result }) => (result as { linkId: string }).linkId,
      findOutcome: ({ ref }) => fixture.trace(ref),
      ...parts,
    }),
    neighbour: (options = {}) => everybody(options).of(HOLDER),
    another: commands.of,
    recorded: (key = 'key-1') => store.commands.find(commandKey('createPaymentLink', key)),
  }
  return fixture
}

export const passes = (fixture: Fixture, milliseconds: number) => {
  fixture.now = new Date(fixture.now.getTime() + milliseconds)
}

/** Runs the command of `task()` until it is sent. `answer` is the payments API's. */
export async function sendUnanswered(fixture: Fixture) {
  const { promise, resolve: answer } = Promise.withResolvers<string>()
  fixture.answers = [() => promise]
  const outcome = fixture.once.run(fixture.task())
  while (fixture.sent.length === 0) await setImmediate()
  return { outcome, answer }
}

export const noAnswer = () => Promise.reject(unknownOutcome('timeout'))
