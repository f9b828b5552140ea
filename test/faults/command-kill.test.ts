import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandKind, COMMANDS, type PreparedCommand, resultId } from '../support/commands.ts'
import { asked, mutate, type MutationName, type Result } from '../support/mutations.ts'
import type { KillPoint } from './armed-app.ts'
import { startKillStage, type KillStage } from './kill-stage.ts'
import { casesOf, FULL, rounds } from './rounds.ts'

const ROUNDS = rounds({ few: 1, many: 20 })

let stage: KillStage
beforeAll(async () => void (stage = await startKillStage()))
afterAll(() => stage.close())

/**
 * The result of the first retry of a command whose process was killed: sent then; replayed, because the object that it created was found;
 * or unknown for good, because nothing can be found and it must not be sent twice. `posts` counts the POSTs in all.
 */
type Ending = { readonly retry: 'sent' | 'replayed' | 'unknown'; readonly posts: number }

type Endings = { readonly otherwise: Ending } & { readonly [Name in MutationName]?: Ending }

const SENT_ONCE: Endings = { otherwise: { retry: 'sent', posts: 1 } }
const REPLAYED: Endings = { otherwise: { retry: 'replayed', posts: 1 } }
const NEVER_ARRIVED: Endings = {
  otherwise: { retry: 'unknown', posts: 0 },
  createPaymentLink: { retry: 'sent', posts: 1 },
  createPaymentAgreement: { retry: 'sent', posts: 1 },
  createPaymentCustomer: { retry: 'sent', posts: 1 },
  updatePaymentCustomer: { retry: 'sent', posts: 1 },
  createPaymentContact: { retry: 'sent', posts: 1 },
}
const DONE_UNHEARD: Endings = {
  ...REPLAYED,
  // The payments API's list does not contain the checkout URL: a second link is created, and the first one is an orphan.
  createPaymentLink: { retry: 'sent', posts: 2 },
  // The payments API has no read of these payments.
  createGatewayPayment: { retry: 'unknown', posts: 1 },
  // It replaces every detail, so a second one changes nothing.
  updatePaymentCustomer: { retry: 'sent', posts: 2 },
}

type Running = CommandKind & PreparedCommand

/** Returns null if the connection broke: then the client has no answer. */
function fire({ name, input }: Running): Promise<Result | null> {
  return mutate(stage, name, input).catch(() => null)
}

/** Kills the process once every command has reached the same point. */
async function dieAt(running: readonly Running[], reach: (kind: Running) => Promise<unknown>) {
  const reached = Promise.all(running.map(reach))
  const fired = running.map(fire)
  await reached
  await stage.app.kill()
  expect(new Set(await Promise.all(fired))).toEqual(new Set([null]))
}

/** Runs one command after the other; for each, the process kills itself before the commit. */
async function dieOneByOne(running: readonly Running[], point: KillPoint) {
  for (const [index, kind] of running.entries()) {
    if (index > 0) await stage.restart()
    await stage.app.arm(point)
    expect(await fire(kind)).toBeNull()
  }
}

/** The process kills itself before the first record of a command is committed, so that none is recorded. */
async function dieBeforeRecords(running: readonly Running[]) {
  await stage.app.arm('intent')
  expect(new Set(await Promise.all(running.map(fire)))).toEqual(new Set([null]))
}

/** All answers arrive at once; the process kills itself before the first of them is committed. */
async function dieBeforeEnds(running: readonly Running[]) {
  const held = running.map(({ path }) => stage.proxy.holdNextPost(path))
  const fired = running.map(fire)
  await Promise.all(held.map(({ answered }) => answered))
  await stage.app.arm('outcome')
  for (const { release } of held) release()
  expect(new Set(await Promise.all(fired))).toEqual(new Set([null]))
}

type Death = {
  readonly when: string
  readonly die: (running: readonly Running[]) => Promise<void>
  readonly endings: Endings
}

const DEATHS: readonly Death[] = [
  {
    when: 'before its record is committed',
    die: FULL ? (running) => dieOneByOne(running, 'intent') : dieBeforeRecords,
    endings: SENT_ONCE,
  },
  {
    when: 'after its record is committed, and before the payments API hears of it',
    die: (running) => dieAt(running, ({ path }) => stage.proxy.swallowNextPost(path)),
    endings: NEVER_ARRIVED,
  },
  {
    when: 'after the payments API has done it, and before the answer',
    die: (running) => dieAt(running, ({ path }) => stage.proxy.holdNextPost(path).answered),
    endings: DONE_UNHEARD,
  },
  {
    when: 'after the answer, and before its end is committed',
    die: FULL ? (running) => dieOneByOne(running, 'outcome') : dieBeforeEnds,
    endings: DONE_UNHEARD,
  },
  {
    when: 'after its end is committed',
    die: async (running) => {
      for (const result of await Promise.all(running.map(fire))) expect(result).toMatchObject({ replayed: false })
      await stage.app.kill()
    },
    endings: REPLAYED,
  },
]

const NAMED = casesOf('the deaths of commands', DEATHS, 2).map((death) => [death.when, death] as const)

// promise(commands): A process killed at any point of a command leaves a record from which the next continues: one
// effect for each key.
describe.each(NAMED)('a process that is killed while it carries out a command, %s', (_when, { die, endings }) => {
  const wanted = COMMANDS.map(({ name }) => [name, endings[name] ?? endings.otherwise])

  it(
    'has done it at most once, and its client learns what became of it',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { ended, keys, ownersOfOrphans } = await playRound(die)
        expect(ended).toEqual(wanted)
        expect(ownersOfOrphans.filter((owner) => !keys.has(owner))).toEqual([])
      }
    },
    60_000 * ROUNDS,
  )
})

async function playRound(die: Death['die']) {
  const running: Running[] = []
  for (const kind of COMMANDS) running.push({ ...kind, ...(await kind.prepare(stage)) })
  const known = new Set(checkouts())
  const before = new Map(running.map(({ path }) => [path, asked(stage, 'POST', path)]))
  await die(running)
  await stage.restart()

  const ended: [MutationName, Ending][] = []
  const given = new Set<string | null>()
  for (const kind of running) {
    const result = await mutate(stage, kind.name, kind.input)
    await expectLastWord(kind, result)
    given.add(resultId(result))
    const posts = asked(stage, 'POST', kind.path) - (before.get(kind.path) ?? 0)
    ended.push([kind.name, { retry: endingOf(result), posts }])
  }
  const orphans = checkouts().filter((uuid) => !known.has(uuid) && !given.has(uuid))
  const ownersOfOrphans: unknown[] = []
  for (const orphan of orphans) ownersOfOrphans.push(await commandOf(orphan))
  return { ended, keys: new Set(running.map(({ key, input }) => input[key])), ownersOfOrphans }
}

function endingOf(result: Result): Ending['retry'] {
  if (result.__typename === 'PaymentsOutcomeUnknownError') return 'unknown'
  if (resultId(result) === null) throw new Error(`Neither done nor unknown: ${JSON.stringify(result)}`)
  return result.replayed === true ? 'replayed' : 'sent'
}

/** Every further repeat has the same result, and another input under the same key conflicts. */
async function expectLastWord({ name, input, other }: Running, result: Result): Promise<void> {
  const again = await mutate(stage, name, input)
  expect([again.__typename, resultId(again)]).toEqual([result.__typename, resultId(result)])
  expect(await mutate(stage, name, other)).toMatchObject({ __typename: 'PaymentsIdempotencyConflictError' })
}

/** Returns the uuids of all links and gateway payments in the payments API: those that are not the result of a command are orphans. */
function checkouts(): string[] {
  const { links, gatewayPayments } = stage.sandbox.control.state()
  return [...links, ...gatewayPayments].map(({ uuid }) => uuid)
}

/** Sends the webhook of a payment. Returns the key of the command that its URL belongs to, once the app has accepted it. */
async function commandOf(uuid: string): Promise<string | null> {
  const { sandbox, keyOf } = stage
  await sandbox.control.setStatus(uuid, 'received')
  const told = sandbox.control.webhooks().findLast(({ subject }) => subject === uuid)
  expect(told?.attempts.map(({ status }) => status)).toEqual([200])
  return keyOf(told?.url.split('/').at(-1) ?? '')
}
