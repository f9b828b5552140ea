import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ExactNumber } from '../../../../../src/lib/exact-json.ts'
import * as readers from '../../../../../src/upstream/wire/values/readers.ts'
import * as fields from '../../../../../src/upstream/wire/values/wire-fields.ts'
import { seeded } from '../../../../faults/seed.ts'
import { fixture } from '../../../../fixtures/upstream/read.ts'

/** The same shape, once for plain functions and once as a schema. */
const read = readers.recordReader({
  uuid: readers.usableUuid,
  status: readers.readStatus,
  amount: readers.readDecimal,
  currency: readers.readCurrency,
  created_at: readers.readInstant,
  payment_url: readers.readUrl,
  is_refundable: readers.readFlag,
  name: readers.readText(10),
  transaction_info: readers.recordReader({
    uuid: readers.usableUuid,
    pay_code: readers.recordReader({ x: readers.readText(5) }),
  }),
})
const schema = z.object({
  uuid: fields.uuid,
  status: fields.status,
  amount: fields.decimal,
  currency: fields.currency,
  created_at: fields.instant,
  payment_url: fields.url,
  is_refundable: fields.flag,
  name: fields.text(10),
  transaction_info: fields.section({ uuid: fields.uuid, pay_code: fields.section({ x: fields.text(5) }) }),
})

const TEXTS = ['', ' ', 'true', 'AUD', 'received', 'PAY1', '100.0', '1e3', 'a\u0000b\tc', '\ud800', 'constructor']
const ODD_TEXTS = ['2025-05-28T04:22:21.567+0000', 'https://pay.test/x', 'javascript:1', 'x'.repeat(300)]
const OTHERS = [null, undefined, true, false, new ExactNumber('10.50'), new ExactNumber('1'), [], ['a']]
const OBJECTS = [{}, { uuid: 'PAY2' }, { pay_code: { x: 'y' } }]
const VALUES = [...TEXTS, ...ODD_TEXTS, ...OTHERS, ...OBJECTS]

it('reads the fixtures as the schemas do', () => {
  const names = readdirSync(new URL('../../../../fixtures/upstream/', import.meta.url)).filter((name) =>
    name.endsWith('.json'),
  )
  expect(names.length).toBeGreaterThan(20)
  for (const json of names.map((name) => fixture(name.replace('.json', ''))).filter(readers.isRecord))
    expect(read(json)).toStrictEqual(schema.parse(json))
})

it('reads random objects as the schemas do', () => {
  const { between } = seeded('random objects')
  const keys = Object.keys(schema.shape)
  for (let count = 0; count < 5_000; count += 1) {
    const chosen = keys.filter(() => between(0, 2) > 0)
    const json = Object.fromEntries(chosen.map((key) => [key, VALUES[between(0, VALUES.length - 1)]]))
    expect(read(json)).toStrictEqual(schema.parse(json))
  }
})
