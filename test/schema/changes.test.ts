import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { compareApprovals, schemaChanges, type Approval } from '../../scripts/schema-changes.ts'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const current = read('schema.graphql')

describe('the schema, held against the released one', () => {
  const changes = schemaChanges(read('schema.released.graphql'), current)

  it('breaks nobody', async () => {
    expect((await changes).breaking).toEqual([])
  })

  it('has no dangerous change without an approval, and no approval without a change', async () => {
    const approvals = JSON.parse(read('schema.approvals.json')) as Approval[]
    expect(compareApprovals((await changes).dangerous, approvals)).toEqual({ unapproved: [], unused: [] })
  })
})

/** Returns the schema with one passage replaced. Throws if it does not contain the passage. */
function changed(from: string, to: string): string {
  if (!current.includes(from)) throw new Error(`The schema has no ${from}`)
  return current.replace(from, to)
}

const PAYER = 'payer: PaymentPayerContact @tag(name: "backoffice")'
const RETURN_EXPIRED = '  "The refund request expired, ten days after it was created."\n  RETURN_EXPIRED\n'
const STATUSES = 'enum PayinStatus {'

describe('the comparison', () => {
  it.each([
    ['a frozen enum grows', 'enum PaymentPhase {', 'enum PaymentPhase { PAUSED'],
    ['a key is gone, of two', ' @key(fields: "clientTransactionId")', ''],
    ['a shared type is no longer shared', 'type PageInfo @shareable', 'type PageInfo'],
    [
      'a field asks for a scope',
      '  methodRaw: String\n',
      '  methodRaw: String @requiresScopes(scopes: [["payments:risk"]])\n',
    ],
  ])('refuses it when %s', async (_what, from, to) => {
    const { breaking } = await schemaChanges(current, changed(from, to))
    expect(breaking.map(({ message }) => message)).not.toEqual([])
  })

  it.each([
    ['ENUM_VALUE_ADDED', 'PayinStatus.PAUSED', STATUSES, `${STATUSES} PAUSED`],
    [
      'UNION_MEMBER_ADDED',
      'PaymentBankLookupResult',
      '  | PaymentsInvalidQrContentError',
      '  | PaymentsInvalidQrContentError | PaymentsStateConflictError',
    ],
    ['FIELD_ARGUMENT_DEFAULT_CHANGED', 'PaymentLink.events.first', 'first: Int! = 20', 'first: Int! = 30'],
    [
      'DIRECTIVE_USAGE_FIELD_DEFINITION_REMOVED',
      'Payment.payer.@requiresScopes',
      `${PAYER} @requiresScopes(scopes: [["payments:pii"]])`,
      PAYER,
    ],
    [
      'DIRECTIVE_USAGE_FIELD_DEFINITION_REMOVED',
      'PaymentLink.site.@tag',
      'site: ID! @tag(name: "backoffice")',
      'site: ID!',
    ],
  ])('asks for an approval of %s %s', async (type, path, from, to) => {
    const { breaking, dangerous } = await schemaChanges(current, changed(from, to))
    expect(breaking).toEqual([])
    expect(compareApprovals(dangerous, []).unapproved).toMatchObject([{ type, path }])
    expect(compareApprovals(dangerous, [{ type, path, reason: 'Announced.' }])).toEqual({ unapproved: [], unused: [] })
    expect(compareApprovals(dangerous, [{ type, path, reason: ' ' }]).unapproved).toHaveLength(1)
  })

  it.each([
    [
      'a field comes',
      '  methodRaw: String\n',
      '  methodRaw: String\n  note: String @tag(name: "backoffice") @requiresScopes(scopes: [["payments:pii"]]) @cost(weight: 2)\n',
    ],
  ])('lets it pass when %s', async (_what, from, to) => {
    expect(await schemaChanges(current, changed(from, to))).toEqual({ breaking: [], dangerous: [] })
  })

  it('lets a deprecated field go with an approval', async () => {
    const released = changed('  methodRaw: String\n', '  methodRaw: String @deprecated(reason: "Read method.")\n')
    const { breaking, dangerous } = await schemaChanges(
      released,
      changed('  "The method as the payments API spells it."\n  methodRaw: String\n', ''),
    )
    expect(breaking).toEqual([])
    expect(dangerous).toMatchObject([{ type: 'FIELD_REMOVED', path: 'Payment.methodRaw' }])
  })
})

describe('npm run schema:release', () => {
  const folders: string[] = []
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

  const release = (released: string, approvals: readonly Approval[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'schema-release-'))
    folders.push(folder)
    cpSync(join(root, 'schema.graphql'), join(folder, 'schema.graphql'))
    writeFileSync(join(folder, 'schema.released.graphql'), released)
    writeFileSync(join(folder, 'schema.approvals.json'), JSON.stringify(approvals))
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/schema-release.ts')], {
      cwd: folder,
      encoding: 'utf8',
    })
    const after = (name: string) => readFileSync(join(folder, name), 'utf8')
    return { status, stderr, released: after('schema.released.graphql'), approvals: after('schema.approvals.json') }
  }

  it('keeps the schema and forgets the approvals', () => {
    const before = changed(RETURN_EXPIRED, '')
    const reason = 'Announced in the changelog.'
    const done = release(before, [{ type: 'ENUM_VALUE_ADDED', path: 'PayinStatus.RETURN_EXPIRED', reason }])
    expect(done).toMatchObject({ status: 0, released: current, approvals: '[]\n' })
  })

  it('changes nothing when somebody would be broken', () => {
    const before = changed('  methodRaw: String\n', '  methodRaw: String\n  note: String\n')
    const done = release(before, [])
    expect(done).toMatchObject({ status: 1, released: before })
    expect(done.stderr).toContain("Field 'note' was removed")
  })
})
