import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { erase, erasures } from '../support/erasures.ts'
import { payeeInput, payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { findPrograms } from '../support/postgres-server.ts'
import { findPostgres, missing } from '../support/postgres.ts'
import { defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'
import { type Canaries, createCanaries } from './canaries.ts'
import { foundInColumns, onPostgres, SQLITE, type Storage } from './stored.ts'

const server = await findPostgres()
const database = await server?.createDatabase({ migrated: true })
afterAll(() => database?.drop())
const programs = findPrograms('pg_dump')
if (programs === null) missing('There is no pg_dump', 'install the programs of PostgreSQL')

const PAYMENTS = 400
const DAY_MS = 24 * 3_600_000

/** An app whose payers are canaries, each in a payment, a link, an agreement or a payout of its own. */
type Peopled = {
  readonly network: Network
  readonly canaries: Canaries
  readonly link: string
  readonly agreement: string
  readonly payout: string
}

async function peopled(storage: Storage, clock: () => Date): Promise<Peopled> {
  const canaries = createCanaries()
  const network = await startNetwork({ sandbox: NO_ANSWER, clock, env: storage.env })
  const send = (index: number) => deliver(defaultAddress(network), bodyAbout(canaries, index))
  for (let at = 0; at < PAYMENTS; at += 40)
    await Promise.all(Array.from({ length: 40 }, (_, index) => send(at + index)))
  const customer = { firstName: canaries.word('link.name'), lastName: 'Payer', email: canaries.email('link.email') }
  const link = await createLink(network, { customer })
  await network.sandbox.control.setStatus(link.id, 'received')
  const payer = { name: canaries.word('agreement.name'), bankAccount: { bsb: '062-000', accountNumber: '123456789' } }
  const agreement = await createAgreement(network, { payer })
  const payee = payeeInput({ firstName: canaries.word('payee.name') })
  const payout = await made(mutate(network, 'createPayout', payoutInput({ transactions: [payee] })), 'payout')
  await network.sandbox.settle()
  await network.app.settle()
  return { network, canaries, link: link.id, agreement: agreement.id, payout: payout.id }
}

/** Returns a webhook with the payer in every field for one, and in fields that this version does not know. */
function bodyAbout(canaries: Canaries, index: number): string {
  const name = canaries.word(`name ${index}`)
  const email = canaries.email('email of all')
  return paymentBody({
    uuid: `payment-${index}`,
    name,
    email,
    sender_info: { first_name: name, last_name: name, email, phone: canaries.digits('phone') },
    sender_details: { name, address: name, card: { card_last_4: '4242', card_holder: name, token: name } },
    payer: { name },
    note: name,
  })
}

async function eraseAll({ network, canaries, link, agreement, payout }: Peopled): Promise<void> {
  await erase(network, 'EMAIL', canaries.email('email of all'))
  await erase(network, 'LINK', link)
  await erase(network, 'AGREEMENT', agreement)
  await erase(network, 'PAYOUT', payout)
  await expect
    .poll(async () => (await erasures(network)).nodes.map(({ state }) => state))
    .toEqual(['DONE', 'DONE', 'DONE', 'DONE'])
}

async function eventsOf({ network }: Peopled) {
  const { data } = await network.ask<{ paymentEvents: { nodes: unknown[] } }>(
    '{ paymentEvents(first: 100) { nodes { id kind toStatus payment { id statusRaw amount { value } } } } }',
  )
  return data.paymentEvents.nodes
}

/** Returns the text of the archived files, once deliveries and events are archived; there may be files of others. */
async function archived(folder: string): Promise<string> {
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.ndjson.gz'))
  await expect.poll(() => new Set(files().map((name) => name.split('-')[0])).size).toBeGreaterThan(1)
  return files()
    .map((name) => gunzipSync(readFileSync(join(folder, name))).toString())
    .join('\n')
}

// promise(data): Erased payers are in no file of SQLite, no dump of PostgreSQL and no archive, and are not recorded
// again.
describe('payers that are erased', () => {
  it(
    'stand nowhere in the files of SQLite, and were in no column but those of payers',
    { timeout: 300_000 },
    async () => {
      let ahead = 0
      const world = await peopled(SQLITE, () => new Date(Date.now() + ahead))
      const { network, canaries } = world
      try {
        const columns = [
          'payment_payers.name',
          'payment_payers.email',
          'agreement_payers.name',
          'payout_payees.payees_json',
        ]
        expect([...(await foundInColumns(canaries, SQLITE, network)).keys()].toSorted()).toEqual(columns.toSorted())
        expect(canaries.foundIn(await SQLITE.bytes(network))).toHaveLength(PAYMENTS + 5)
        const before = await eventsOf(world)

        await eraseAll(world)
        const bytes = async () => canaries.foundIn(await SQLITE.bytes(network))
        await expect.poll(bytes, { interval: 500 }).toEqual([])
        expect(statSync(join(network.folder, 'payments.db')).size).toBeGreaterThan(PAYMENTS * 1_000)
        expect(await eventsOf(world)).toEqual(before)
        expect(canaries.foundIn(network.log())).toEqual([])

        ahead = 100 * DAY_MS
        const archive = join(network.folder, 'archive')
        const env = { RETENTION_EVENTS_DAYS: '40', RETENTION_DELIVERIES_DAYS: '40', ARCHIVE_URL: `file:${archive}` }
        await network.restart(undefined, env)
        const text = await archived(archive)
        expect(text).toContain('"payment-399"')
        expect(canaries.foundIn(text)).toEqual([])
      } finally {
        await network.close()
      }
    },
  )

  it.skipIf(database === undefined || programs === null)(
    'stand in no dump of PostgreSQL',
    { timeout: 300_000 },
    async () => {
      if (database === undefined) return
      const storage = onPostgres(database)
      const world = await peopled(storage, () => new Date())
      const { network, canaries } = world
      try {
        expect(canaries.foundIn(await dumpOf(database.url))).toHaveLength(PAYMENTS + 5)
        await eraseAll(world)
        const dump = await dumpOf(database.url)
        expect(dump).toContain('payment-399')
        expect(canaries.foundIn(dump)).toEqual([])
        // PostgreSQL keeps a deleted row while a transaction is open that may see it; those of other databases count, too.
        const vacuumed = async () => {
          await database.run('VACUUM FULL payment_payers, agreement_payers, payout_payees, erasures')
          await database.run('CHECKPOINT')
          const [{ content } = {}] = await database.run(
            `SELECT pg_read_binary_file(pg_relation_filepath('payment_payers')) AS content`,
          )
          return canaries.foundIn(Buffer.from(content as Uint8Array).toString('latin1'))
        }
        await expect.poll(vacuumed, { interval: 500 }).toEqual([])
        expect(canaries.foundIn(await storage.bytes(network))).toEqual([])
      } finally {
        await network.close()
      }
    },
  )
})

async function dumpOf(url: string): Promise<string> {
  const dump = join(programs ?? '', 'pg_dump')
  const { stdout } = await promisify(execFile)(dump, ['--inserts', url], { maxBuffer: 100_000_000 })
  return stdout
}
