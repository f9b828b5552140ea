import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ALL_SCOPES } from '../../src/access/caller.ts'
import { run } from '../../src/cli/command-line.ts'
import { seal } from '../../src/keys/derived-secrets.ts'
import { createKeyRing, Secret } from '../../src/keys/key-ring.ts'
import { openedUpload } from '../support/identity.ts'
import { mutate } from '../support/mutations.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { createPayin } from '../support/payins.ts'
import { download, exportedIds, exportUrl } from '../support/payments-export.ts'
import { findPostgres, type Database } from '../support/postgres.ts'
import { defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'

const server = await findPostgres()
const KINDS = ['SQLite', ...(server === null ? [] : ['PostgreSQL'])]

/** More than two pages. */
const COUNT = 205
const WITHOUT_PII = ALL_SCOPES.filter((scope) => scope !== 'payments:pii')

// promise(authorization): The URL of an export is sealed, works once within two minutes, and has the rights of its
// caller.
describe.each(KINDS)('a file of payments on %s', (kind) => {
  let database: Database | null = null
  let network: Network
  /** Milliseconds that the app's clock is ahead. */
  let ahead = 0

  beforeAll(async () => {
    if (kind === 'PostgreSQL') database = (await server?.createDatabase({ migrated: true })) ?? null
    const env = database === null ? {} : { DATABASE_URL: database.url }
    network = await startNetwork({
      env,
      clock: () => new Date(Date.now() + ahead),
      limits: { exports: { perCaller: 3 } },
    })
    const bodies = Array.from({ length: COUNT }, (_, n) => ({
      uuid: `export-${n}`,
      external_id: n === 7 ? '=HYPERLINK("https://evil.example")' : `order-${n}`,
      amount: '0.10',
      status: n % 2 === 0 ? 'received' : 'pending',
    }))
    await Promise.all(bodies.map((body) => deliver(defaultAddress(network), paymentBody(body))))
    const link = await createLink(network, { description: '@SUM(A1)', ownerId: 'customer-7' })
    await network.sandbox.control.setStatus(link.id, 'received')
    await createPayin(network, { ownerId: 'customer-8' })
  })
  afterAll(async () => {
    await network?.close()
    await database?.drop()
  })

  /** Returns what the command line writes. */
  async function written(...args: string[]): Promise<string> {
    let file = ''
    const output = new Writable({
      write(chunk, _encoding, done) {
        file += String(chunk)
        done()
      },
    })
    const env = { SUBGRAPH_URL: `${network.app.url}/graphql`, SUBGRAPH_TOKEN: await network.token() }
    expect(await run(['export', ...args], env, { output, terminal: process.stderr })).toMatchObject({ code: 0 })
    return file
  }

  it.each(['csv', 'ndjson'])('is that of the command line, in %s', async (format) => {
    const answer = await download(await exportUrl(network, { format: format.toUpperCase() }))
    expect(answer.status).toBe(200)
    const expected = await written('--format', format)
    expect(differentLines(answer.file, expected)).toEqual([])
    const type = { csv: 'text/csv; charset=utf-8; header=present', ndjson: 'application/x-ndjson; charset=utf-8' }[
      format
    ]
    expect(answer.headers.get('content-type')).toBe(type)
    const name = new RegExp(`^attachment; filename="payments-\\d{8}T\\d{6}Z\\.${format}"$`)
    expect(answer.headers.get('content-disposition')).toMatch(name)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('begins with a byte order mark in CSV, which is for spreadsheets, and with none in NDJSON', async () => {
    for (const [format, first] of Object.entries({ CSV: '\uFEFFrecord', NDJSON: '{"payment' })) {
      const response = await fetch(await exportUrl(network, { format }))
      const file = Buffer.from(await response.arrayBuffer()).toString()
      expect(file.slice(0, first.length)).toBe(first)
    }
  })

  it('has the totals of its payments at its end, and nothing that a spreadsheet would calculate', async () => {
    const lines = (await download(await exportUrl(network))).file.split('\r\n')
    expect(lines.at(-1)).toBe('')
    expect(lines.at(-2)).toMatch(new RegExp(`^END,,,,${COUNT + 2},`))
    expect(lines.filter((line) => line.startsWith('PAYMENT,'))).toHaveLength(COUNT + 2)
    expect(lines.find((line) => line.includes('export-7,'))).toContain(`,"'=HYPERLINK(""https://evil.example"")",`)
    expect(lines.find((line) => line.includes('customer-7'))).toContain(`,'@SUM(A1),`)
    expect(lines.join('\n')).not.toMatch(/,"?[=+@]/)
  })

  it('takes the filters of the list, and no reference that is too long for a URL', async () => {
    const ids = async (filter: object) =>
      exportedIds((await download(await exportUrl(network, { filter, format: 'NDJSON' }))).file)
    expect(await ids({ reference: 'order-8' })).toEqual(['export-8'])
    expect(await ids({ phases: ['SUCCEEDED', 'SUCCEEDED'] })).toHaveLength(Math.ceil(COUNT / 2) + 1)
    expect(await ids({ phases: ['DISPUTED'] })).toEqual([])
    expect(await ids({ duplicate: true })).toEqual([])
    expect(await ids({ updatedFrom: '2999-01-01T00:00:00Z', phases: null })).toEqual([])
    expect(await ids({ updatedFrom: '2020-01-01T00:00:00Z', updatedBefore: null })).toHaveLength(COUNT + 2)
    const long = { filter: { reference: 'x'.repeat(256) } }
    expect(await mutate(network, 'createPaymentsExport', long)).toMatchObject({
      __typename: 'PaymentsInvalidInputError',
      problems: [{ path: ['filter', 'reference'], message: 'must have at most 255 characters' }],
    })
  })

  it('has payers only where it was asked for them, and masked without payments:pii', async () => {
    const [first = ''] = (await download(await exportUrl(network, { filter: { reference: 'order-8' } }))).file.split(
      '\r\n',
    )
    expect(first).not.toContain('payer')
    const input = { includePayers: true, filter: { reference: 'order-8' } }
    const shown = await download(await exportUrl(network, input))
    expect(shown.file).toContain(',payerName,payerEmail\r\n')
    expect(shown.file).toContain(',Ada Payer,ada@example.test\r\n')
    const token = await network.token({ scopes: WITHOUT_PII })
    const { url, payersMasked } = await mutate(network, 'createPaymentsExport', input, { token })
    expect(payersMasked).toBe(true)
    const masked = await download(String(url))
    expect(masked.file).toContain(',***,***\r\n')
    expect(masked.file).not.toMatch(/Ada|example\.test/)
    const lines = await download(await exportUrl(network, { ...input, format: 'NDJSON' }, { token }))
    expect(JSON.parse(lines.file.split('\n')[0] ?? '')).toMatchObject({
      payment: { payerName: '***', payerEmail: '***' },
    })
  })

  it('may be asked for by whoever may list payments, and by nobody else', async () => {
    const ask = async (token: string | null) =>
      (await network.ask('mutation { createPaymentsExport(input: {}) { __typename } }', {}, { token })).errors?.[0]
        ?.extensions?.['code']
    expect(await ask(await network.token({ scopes: ['payments:read'] }))).toBeUndefined()
    expect(await ask(await network.token({ scopes: ALL_SCOPES.filter((scope) => scope !== 'payments:read') }))).toBe(
      'FORBIDDEN',
    )
    expect(await ask(null)).toBe('UNAUTHENTICATED')
  })

  describe('its address', () => {
    it('is used once, also by several at the same time, and after a restart', async () => {
      const url = await exportUrl(network)
      const answers = await Promise.all([download(url), download(url), download(url)])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
      await network.restart()
      const again = await download(url)
      expect(again.status).toBe(409)
      expect(JSON.parse(again.file)).toMatchObject({ errors: [{ extensions: { code: 'ALREADY_USED' } }] })
    })

    it('cannot be made up, changed, taken from another purpose, or used with another method', async () => {
      const url = await exportUrl(network)
      const { url: upload } = await openedUpload(network)
      const [address = '', grant = ''] = url.split('=')
      const last = grant.at(-6) === 'A' ? 'B' : 'A'
      const foreign = createKeyRing([new Secret('another-signing-key-0123456789abcdef')])
      const ring = createKeyRing([new Secret(SECRETS.signing)])
      const value = { id: 'a', expiresAt: Date.now() + 60_000, format: 'csv', payers: 'shown', filter: {} }
      const sealed = seal(ring, 'upload grant', value)
      for (const forged of [
        '',
        'eg1.00000000.x',
        `${grant.slice(0, -6)}${last}${grant.slice(-5)}`,
        upload.split('=')[1] ?? '',
        sealed,
        sealed.replace('ug1', 'eg1'),
        seal(foreign, 'export grant', value),
        `${grant}&grant=${grant}`,
      ])
        expect((await download(`${address}=${forged}`)).status).toBe(404)
      expect((await download(address.replace('?grant', ''))).status).toBe(404)
      expect((await fetch(upload.replace(/grant=.*/, `grant=${grant}`), { method: 'POST' })).status).toBe(404)
      for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) expect((await fetch(url, { method })).status).toBe(404)
      expect((await download(url)).status).toBe(200)
    })

    it('is not guessed: a client that tries many is refused without a look', async () => {
      const guarded = await startNetwork({ env: { MAX_FAILED_AUTHENTICATIONS: '3' } })
      onTestFinished(() => guarded.close())
      const address = (await exportUrl(guarded)).split('=')[0] ?? ''
      const statuses: number[] = []
      for (let n = 0; n < 6; n++) statuses.push((await download(`${address}=eg1.00000000.${n}`)).status)
      expect(statuses).toEqual([404, 404, 404, 404, 429, 429])
    })

    it('ends after two minutes, and with the token', async () => {
      const url = await exportUrl(network)
      ahead += 2 * 60_000
      const late = await download(url)
      expect({ status: late.status, answer: JSON.parse(late.file) }).toMatchObject({
        status: 410,
        answer: { errors: [{ extensions: { code: 'EXPIRED' } }] },
      })
      ahead = 0
      const token = await network.token({ ttlSeconds: 30 })
      const { expiresAt } = await mutate(network, 'createPaymentsExport', {}, { token })
      expect(Date.parse(String(expiresAt))).toBeLessThanOrEqual(Date.now() + 30_000)
    })

    it('tells nothing of the filter, and is neither logged nor stored', async () => {
      const url = await exportUrl(network, { filter: { reference: 'order-8' }, includePayers: true })
      await download(url)
      const grant = url.split('=')[1] ?? ''
      expect(Buffer.from(grant.split('.').at(-1) ?? '', 'base64url').toString('latin1')).not.toContain('order-8')
      expect(network.log()).toContain('"kind":"shown","msg":"payments were exported"')
      for (const secret of [grant, 'ada@example.test']) expect(network.log()).not.toContain(secret)
      const files = readdirSync(network.folder).map((name) => readFileSync(join(network.folder, name), 'latin1'))
      expect(files.join('\n')).not.toContain(grant)
    })
  })
})

/** Returns the lines that differ, each with the one in its place. */
function differentLines(one: string, other: string) {
  const others = other.split('\n')
  return one
    .split('\n')
    .map((line, index) => [line, others[index]])
    .concat(others.slice(one.split('\n').length).map((line) => ['', line]))
    .filter(([line, same]) => line !== same)
}
