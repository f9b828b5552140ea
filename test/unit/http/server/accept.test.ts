import { assert, constantFrom, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { namesType, preferredType } from '../../../../src/http/server/accept.ts'

const JSON_TYPE = 'application/json'
const GRAPHQL = 'application/graphql-response+json'

it.each<[string, string | null]>([
  ['', JSON_TYPE],
  [' , ;', JSON_TYPE],
  ['*', JSON_TYPE],
  ['application/json; q=high', JSON_TYPE],
  ['application/json; q="0.0"', null],
  ['*/*; charset=utf-8', JSON_TYPE],
  ['application/*; q=0.5', JSON_TYPE],
  ['application/json;', JSON_TYPE],
  ['APPLICATION/JSON; CHARSET=UTF-8', JSON_TYPE],
  ['application/json; charset="utf-8, \\" or; so"; version=1', JSON_TYPE],
  ['application/json; charset=utf-8; q=0.4, application/graphql-response+json; charset=utf-8; Q = 0.5', GRAPHQL],
  ['application/json;q=0.5;charset=utf-8, application/graphql-response+json;charset=utf-8;q=0.4', JSON_TYPE],
  ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', GRAPHQL],
  ['application/json; charset=utf-8; q=0, */*', GRAPHQL],
  ['application/json; quality=1; q=0', null],
  ['*/*; charset=utf-8; q=0', null],
  ['image/png; charset=utf-8, text/*', null],
])('of JSON and GraphQL, %j prefers %s', (accept, preferred) => {
  expect(preferredType(accept, [JSON_TYPE, GRAPHQL])).toBe(preferred)
})

it.each<[string | undefined, boolean]>([
  ['text/event-stream', true],
  ['application/json, Text/Event-Stream ; charset=utf-8;q=0.1', true],
  ['application/json;note="text/event-stream"', false],
  ['text/event-stream;charset=utf-8;q=0, application/json', false],
  ['text/*, */*', false],
  ['text/event-streams', false],
  ['', false],
  [undefined, false],
])('%j names events: %s', (accept, named) => {
  expect(namesType(accept, 'text/event-stream')).toBe(named)
})

it('takes any text for a header', () => {
  const unit = constantFrom('a/b', '*', '/', ';', ',', '=', '"', '\\', ' ', '\t', 'q', '0.1', '\0', 'é')
  assert(
    property(string({ unit, maxLength: 60 }), (accept) => {
      expect([JSON_TYPE, null]).toContain(preferredType(accept, [JSON_TYPE]))
      expect(namesType(accept, JSON_TYPE)).toBe(false)
    }),
  )
})
