import * as fc from 'fast-check'
import { buildSchema, graphqlSync, GraphQLError, type GraphQLScalarType, parseValue } from 'graphql'
import { describe, expect, it } from 'vitest'
import { createScalars } from '../../../src/graphql/schema/scalars.ts'

const { Decimal, CurrencyCode, HttpsUrl } = createScalars({ production: true })
const development = createScalars({ production: false }).HttpsUrl

const literal = (scalar: GraphQLScalarType<string, string>, text: string) => scalar.parseLiteral(parseValue(text), {})

describe('Decimal', () => {
  it.each([
    ['"1250.50"', '1250.50'],
    ['1250.50', '1250.50'],
    ['10', '10'],
    ['0.10', '0.10'],
    ['123456789012345678.123456', '123456789012345678.123456'],
    ['1e3', '1e3'],
    ['"abc"', 'abc'],
  ])('takes the literal %s by its own digits', (text, value) => expect(literal(Decimal, text)).toBe(value))

  it.each(['true', 'null', '[1]', '{a: 1}', 'ENUM', `"${'1'.repeat(41)}"`, '1'.repeat(41)])(
    'refuses the literal %s',
    (text) => expect(() => literal(Decimal, text)).toThrow(GraphQLError),
  )

  it.each([
    ['1250.50', '1250.50'],
    [10, '10'],
    [0, '0'],
    [-5, '-5'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])('takes the variable %j', (value, text) => expect(Decimal.parseValue(value)).toBe(text))

  it.each([12.5, 0.1, 2 ** 53, 1e21, Number.NaN, Infinity, true, null, undefined, {}, ['1'], 10n, '1'.repeat(41)])(
    'refuses the variable %s, which may not be exact',
    (value) => expect(() => Decimal.parseValue(value)).toThrow('Decimal must be a string of plain digits'),
  )

  it('changes no digit of a text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,15}(\.\d{1,6})?$/), (text) => {
        expect(Decimal.parseValue(text)).toBe(text)
        expect(Decimal.serialize(text)).toBe(text)
      }),
    )
  })
})

describe('CurrencyCode', () => {
  it.each(['AUD', 'USDC', 'XYZ'])('takes %s', (code) => {
    expect(CurrencyCode.parseValue(code)).toBe(code)
    expect(literal(CurrencyCode, `"${code}"`)).toBe(code)
  })

  it.each(['', 'aud', 'AU', 'AUDXX', 'AUD ', 'AUD\n', 'ÄUD', 'A1D', 3, null, ['AUD']])('refuses %j', (code) => {
    expect(() => CurrencyCode.parseValue(code)).toThrow('CurrencyCode must be an upper-case code')
  })

  it.each(['AUD', '12', 'null', '["AUD"]'])('refuses the literal %s, which is no text', (text) => {
    expect(() => literal(CurrencyCode, text)).toThrow(GraphQLError)
  })
})

describe('HttpsUrl', () => {
  it.each([
    'https://shop.test',
    'https://shop.test/a?b=c#d',
    'HTTPS://shop.test',
    'https://shop.test:8443/',
    'https://[::1]/',
    'https://münchen.test/ü',
    'https://shop.test/%20',
  ])('takes %s as it is', (url) => {
    expect(HttpsUrl.parseValue(url)).toBe(url)
    expect(literal(HttpsUrl, JSON.stringify(url))).toBe(url)
  })

  const refused = [
    '',
    'shop.test',
    '/relative',
    '//shop.test',
    'https:',
    'https://',
    'https:shop.test',
    'https:/shop.test',
    'https:\\\\shop.test',
    'https://shop.test\\@evil.test',
    'http://shop.test',
    'ftp://shop.test',
    'javascript:alert(1)',
    'JavaScript:alert(1)//https://',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://shop.test/1',
    'https://user@shop.test',
    'https://user:secret@shop.test',
    'https://:secret@shop.test',
    ' https://shop.test',
    'https://shop.test ',
    'https://shop.test/a b',
    'https://shop\n.test',
    'ht\ntps://shop.test',
    '\thttps://shop.test',
    'https://shop.test\u0001',
    'https://shop.test/\u0000',
    'https://shop.test:99999',
    'https://[::1',
    `https://shop.test/${'a'.repeat(2_048)}`,
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:80',
    1,
    null,
    {},
    ['https://shop.test'],
  ]
  it.each(refused)('refuses %j in production', (url) => {
    expect(() => HttpsUrl.parseValue(url)).toThrow('HttpsUrl must be an absolute https URL without credentials.')
  })

  it.each(['http://localhost:3000', 'http://127.0.0.1/a', 'http://127.1.2.3', 'http://[::1]:80', 'https://shop.test'])(
    'takes %s in development',
    (url) => expect(development.parseValue(url)).toBe(url),
  )

  it.each([
    'http://shop.test',
    'http://localhost.evil.test',
    'http://127.0.0.1.evil.test',
    'http://localhost@evil.test',
    'http://10.0.0.1',
    'http://0.0.0.0',
  ])('refuses %s in development too', (url) => expect(() => development.parseValue(url)).toThrow(GraphQLError))
})

describe('JSONObject', () => {
  const { JSONObject } = createScalars({ production: true })
  const nested = (levels: number, open: string, close: string) =>
    `{"a":${open.repeat(levels - 1)}1${close.repeat(levels - 1)}}`
  const asLiteral = (json: string) => json.replaceAll(/"(\w)":/g, '$1: ')

  it.each([
    nested(16, '[', ']'),
    nested(16, '{"a":', '}'),
    `{"a":"${'x'.repeat(16_376)}"}`,
    '{"a":-1.5e-308,"b":9007199254740991}',
  ])('takes what is within its bounds (%#)', (json) => {
    expect(JSONObject.parseValue(JSON.parse(json))).toEqual(JSON.parse(json))
    expect({ ...JSONObject.parseLiteral(parseValue(asLiteral(json)), {}) }).toEqual(
      JSONObject.parseValue(JSON.parse(json)),
    )
  })

  it.each([
    ['{"a":1e999}', 'not finite, as a is'],
    ['{"a":{"a":[-1e999]}}', 'not finite, as a.a.0 is'],
    [nested(17, '[', ']'), '16 levels'],
    [nested(17, '{"a":', '}'), '16 levels'],
    [nested(400, '{"a":', '}'), '16 levels'],
    [`{"a":"${'x'.repeat(16_377)}"}`, '16384 characters'],
    ['{"a":[1234567890123456789]}', 'not exact, as a.0 is'],
    ['{"a":-9007199254740992}', 'not exact, as a is'],
    ['{"a":1e308}', 'not exact, as a is'],
  ])('refuses %.40s', (json, message) => {
    expect(() => JSONObject.parseValue(JSON.parse(json))).toThrow(message)
    expect(() => JSONObject.parseLiteral(parseValue(asLiteral(json)), {})).toThrow(message)
  })

  it('refuses what is deeper than the stack, and what JSON has no value for', () => {
    const deep = JSON.parse(nested(50_000, '[', ']')) as unknown
    expect(() => JSONObject.parseValue(deep)).toThrow('16 levels')
    expect(() => JSONObject.parseLiteral(parseValue('{ a: [ENUM] }'), {})).toThrow('ENUM')
  })
})

describe('an input of a wrong shape', () => {
  const schema = buildSchema(
    'scalar Decimal\nscalar DateTime\ntype Query { echo(amount: Decimal, at: DateTime): String }',
  )
  const { DateTime } = createScalars({ production: true })
  Object.assign(schema.getType('Decimal') ?? {}, { parseValue: Decimal.parseValue, parseLiteral: Decimal.parseLiteral })
  Object.assign(schema.getType('DateTime') ?? {}, {
    parseValue: DateTime.parseValue,
    parseLiteral: DateTime.parseLiteral,
  })

  it.each([
    ['query ($amount: Decimal) { echo(amount: $amount) }', { amount: 12.5 }, /\$amount.*Decimal must be/],
    ['query ($at: DateTime) { echo(at: $at) }', { at: 'yesterday' }, /\$at/],
    ['{ echo(amount: true) }', {}, /Decimal must be/],
  ])('is the mistake of the client: %s', (source, variableValues, message) => {
    const { errors = [] } = graphqlSync({ schema, source, variableValues })
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)])
  })
})
